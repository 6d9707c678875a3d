/** What a text for a model must say at its end: that something is missing from it, and why. Of bounded length. */
export function notesOf(omitted: number, warnings: readonly string[]): string[] {
  return [
    ...(omitted > 0 ? [`(${omitted} more did not fit and ${omitted === 1 ? 'was' : 'were'} left out.)`] : []),
    ...(warnings.length > 0 ? [`(Could not be read: ${fewOf(warnings)}.)`] : []),
  ]
}

const MOST_WARNINGS = 10
const MOST_CHARACTERS = 300

/** A folder of broken files must not take the place of what could be read. */
function fewOf(warnings: readonly string[]): string {
  const shown = warnings.slice(0, MOST_WARNINGS).map(cut).join('; ')
  return warnings.length > MOST_WARNINGS ? `${shown}; and ${warnings.length - MOST_WARNINGS} more` : shown
}

function cut(warning: string): string {
  if (warning.length <= MOST_CHARACTERS) return warning
  return `${warning.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`
}
