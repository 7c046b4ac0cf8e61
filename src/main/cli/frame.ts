/** What holds for every command: the version, where the settings come from, and the line that says which shop it is. */
import type { Command } from 'commander'
import { chooseSource, shopSentence, useSource } from '../settings/settings.source.ts'
import { version } from './version.ts'

/** Commands that speak to no shop. */
const shopless = new Set(['completion'])

/** Adds the options of every command, and what happens before each one. */
export function addFrame(turnpike: Command): void {
  turnpike
    .version(version, '-V, --version', 'print the version')
    .option(
      '--settings <file>',
      'take the settings from this file (NAME=value, as systemd reads them) and none from the environment',
    )
    .option('-q, --quiet', 'do not say first which shop the command speaks to')
    .hook('preAction', (_, command) => {
      if (shopless.has(command.name())) return
      const { settings, quiet, json } = command.optsWithGlobals<{
        settings?: string
        quiet?: boolean
        json?: boolean
      }>()
      const source = chooseSource(settings, process.env)
      useSource(source)
      // A program that reads the answer knows whom it asked.
      if (quiet !== true && json !== true) process.stderr.write(`${shopSentence(source, process.cwd())}\n`)
    })
}
