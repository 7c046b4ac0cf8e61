/** Commands that cannot be undone show what they will do, and ask. */
import { createInterface } from 'node:readline/promises'
import { type Command, Option } from 'commander'
import { CommandFault, print } from './command.ts'

/** The options of a command that asks. */
export interface Asking {
  yes?: boolean
  dryRun?: boolean
  json?: boolean
}

/** Adds `--yes` and `--dry-run` to a command that asks. */
export const asking = (command: Command): Command =>
  command
    .addOption(new Option('--yes', 'do it without asking').conflicts('dryRun'))
    .option('--dry-run', 'show what it would do, and do nothing')

/**
 * Shows what a command is about to do and answers whether to do it: with `--yes`, or when a person at the terminal says
 * so; never with `--dry-run`. Refuses where nobody can be asked.
 */
export async function mayProceed(sentences: readonly string[], asked: Asking): Promise<boolean> {
  // Standard output is for what the command brings, which here is the sentences themselves.
  const isResult = asked.dryRun === true && asked.json !== true
  const say = isResult ? print : (line: string) => void process.stderr.write(`${line}\n`)
  for (const sentence of sentences) say(sentence)
  if (asked.dryRun === true) {
    say('Nothing was done.')
    return false
  }
  if (asked.yes === true) return true
  if (!process.stdin.isTTY)
    throw new CommandFault('Nothing was done: this asks first, and there is no terminal. Add --yes to do it.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question('Do it? Type yes: ')
    if (answer.trim().toLowerCase() === 'yes') return true
  } finally {
    terminal.close()
  }
  throw new CommandFault('Nothing was done.')
}
