/** Confirmation of commands that cannot be undone. */
import { createInterface } from 'node:readline/promises'
import { type Command, Option } from 'commander'
import { CommandFault, print } from './command.ts'

/** The options of a command that asks for confirmation. */
export interface ConfirmOptions {
  yes?: boolean
  dryRun?: boolean
  json?: boolean
}

/** Adds `--yes` and `--dry-run` to a command that asks for confirmation. */
export const asking = (command: Command): Command =>
  command
    .addOption(new Option('--yes', 'do it without asking').conflicts('dryRun'))
    .option('--dry-run', 'show what it would do, and do nothing')

/**
 * Prints what a command is about to do and returns whether to do it: with `--yes`, or after confirmation at
 * the terminal; never with `--dry-run`. Refuses without a terminal.
 */
export async function mayProceed(sentences: readonly string[], asked: ConfirmOptions): Promise<boolean> {
  // Standard output is for the result of the command; that of a dry run is the sentences themselves.
  const isResult = asked.dryRun === true && asked.json !== true
  const say = isResult ? print : (line: string) => void process.stderr.write(`${line}\n`)
  for (const sentence of sentences) say(sentence)
  if (asked.dryRun === true) {
    say('Nothing was done.')
    return false
  }
  if (asked.yes === true) return true
  if (!process.stdin.isTTY)
    throw new CommandFault('Nothing was done: confirmation needs a terminal. Add --yes to do it.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question('Do it? Type yes: ')
    if (answer.trim().toLowerCase() === 'yes') return true
  } finally {
    terminal.close()
  }
  throw new CommandFault('Nothing was done.')
}
