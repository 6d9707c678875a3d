/** What a text for a model must say at its end: that something is missing from it, and why. */
export function notesOf(omitted: number, warnings: readonly string[]): string[] {
  return [
    ...(omitted > 0 ? [`(${omitted} more did not fit and ${omitted === 1 ? 'was' : 'were'} left out.)`] : []),
    ...(warnings.length > 0 ? [`(Could not be read: ${warnings.join('; ')}.)`] : []),
  ]
}
