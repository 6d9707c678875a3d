/** `keepsake uninstall`: takes back what install wrote. The memory itself is not touched. */
import type { Command, Context, Outcome } from '../command.ts'
import type { Place } from '../install/clients.ts'
import { checkWritable, readConfigFile, writeConfigFile } from '../install/config-file.ts'
import { triedOutcome } from '../install/diff.ts'
import { uninstalled } from '../install/edit.ts'
import { afterFirst, bothOutcomes, uninstallHooks } from '../install/hooks.ts'
import { SERVER_NAME } from '../install/server-command.ts'
import { SCOPE, type Target, targetOf } from '../install/target.ts'

export const uninstall: Command = {
  verb: 'uninstall',
  operands: [{ name: 'CLIENT' }],
  about: [
    'Takes the entry and the hooks that "keepsake install" wrote out of the configuration of an agent program; the file is',
    'as it was before, or gone if install made it. Where there is no such entry, it says so. The memory itself stays.',
  ],
  options: [
    SCOPE,
    { name: 'dry-run', about: 'only show what would change' },
    { name: 'force', about: 'remove an entry "keepsake" that starts something else, too' },
  ],
  examples: ['keepsake uninstall claude', 'keepsake uninstall codex --dry-run'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const target = targetOf(context)
  const { place } = target
  if (place) await checkServer(context, target, place)
  // The hooks go first, for install wrote them last.
  const hooks = await uninstallHooks(context, target)
  if (!place) return bothOutcomes(byHand(target), hooks)
  return bothOutcomes(await afterFirst(hooks, () => uninstallServer(context, target, place)), hooks)
}

/** Says what is wrong with the file before anything is written. */
async function checkServer({ given }: Context, { client }: Target, place: Place): Promise<void> {
  const file = await readConfigFile(place)
  const { was } = uninstalled(client, file, given.has('force'))
  if (was !== 'absent' && !given.has('dry-run')) await checkWritable(file)
}

async function uninstallServer(context: Context, target: Target, place: Place): Promise<Outcome> {
  const { given, screen } = context
  const file = await readConfigFile(place)
  const { was, after, lost = [] } = uninstalled(target.client, file, given.has('force'))
  const isTried = given.has('dry-run')
  const json = { client: target.name, scope: target.scope, file: file.path, changed: !isTried && was !== 'absent' }
  const path = screen.path('', file.path)
  if (was === 'absent') {
    const text = `Nothing to take back: ${path} has no entry "${SERVER_NAME}" for ${target.client.title}`
    return isTried ? triedOutcome(context, file, file.text, json, text) : { json, text, quietText: '', warnings: [] }
  }
  if (isTried) return triedOutcome(context, file, after, json, '')
  await writeConfigFile(file, after)
  const text =
    after === undefined ? `Removed ${path}, which held nothing else` : `Took the entry "${SERVER_NAME}" out of ${path}`
  const warnings = lost.length === 0 ? [] : [`what was added to the entry went with it: ${lost.join(', ')}`]
  return { json, text, quietText: '', warnings }
}

function byHand({ name, scope, client }: Target): Outcome {
  const own = scope && client.commands?.[scope]?.remove
  const text = own
    ? `Nothing was changed. ${client.title} does this itself; run:\n\n${own}`
    : `Nothing to take back: install writes no file for ${client.title}. Remove the entry "${SERVER_NAME}" from ${client.pasted}.`
  return {
    json: { client: name, file: null, changed: false, ...(own ? { command: own } : {}) },
    text,
    quietText: own ?? '',
    warnings: [],
  }
}
