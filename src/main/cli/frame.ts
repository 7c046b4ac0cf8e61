/** Common to all commands: the version, the source of the settings, and the line that names the shop. */
import type { Command } from 'commander'
import { load } from './load.ts'
import { version } from './version.ts'

/** Commands that do not use a shop. */
const shopless = new Set(['completion'])

/** Adds the options of all commands, and the hook that runs before each. */
export function addFrame(turnpike: Command): void {
  turnpike
    .version(version, '-V, --version', 'print the version')
    .option(
      '--settings <file>',
      'take the settings from this file (NAME=value, as systemd reads them) and none from the environment',
    )
    .option('-q, --quiet', 'do not print the line that names the shop')
    .hook('preAction', async (_, command) => {
      if (shopless.has(command.name())) return
      const { settings, quiet, json } = command.optsWithGlobals<{
        settings?: string
        quiet?: boolean
        json?: boolean
      }>()
      const { chooseSource, shopSentence, useSource } = await load(
        () => import('../settings/settings.source.ts'),
      )
      const source = chooseSource(settings, process.env)
      useSource(source)
      // With --json the output is read by a program, which does not need the line.
      if (quiet !== true && json !== true) process.stderr.write(`${shopSentence(source, process.cwd())}\n`)
    })
}
