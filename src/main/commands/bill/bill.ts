/**
 * turnpike verify-bill: verifies a customer's bill, a file that they downloaded; needs neither settings nor a
 * database.
 */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type BillFault, type BillVerdict, verifyBill } from '#contract/bill/bill'
import { CommandFault, json, print, printJson } from '../terminal/command.ts'

const faults: Readonly<Record<BillFault, string>> = {
  form: 'it is not written as a line of a bill is',
  number: 'its number is not the next one: lines are missing, or there are too many',
  hour: 'its hour is before that of the line before',
  hash: 'its hash is another: it, or a line before it, was changed after it was made',
  balance: 'the balance before it and its bytes do not sum to its balance',
}

export function billCommand(turnpike: Command): void {
  turnpike
    .command('verify-bill')
    .argument('<file>', 'the downloaded bill')
    .option('--head <hash>', 'the hash that the account shows: the file must end with it')
    .addOption(json())
    .description('prove that no hour of a bill was changed, and that the hours sum to the balance')
    .action(async (file: string, { head, json: asJson }: { head?: string; json?: boolean }) => {
      const bytes = await readFile(file).catch((error: unknown) => {
        throw new CommandFault(`${file} cannot be read (${(error as { code?: string }).code}).`)
      })
      const verdict = await verifyBill(bytes)
      const isOther = verdict.ok && head !== undefined && head.trim().toLowerCase() !== verdict.head
      if (asJson === true)
        printJson({ ...verdict, ...(head === undefined ? {} : { head_matches: !isOther }) })
      else for (const sentence of sentences(verdict)) print(sentence)
      if (isOther && asJson !== true)
        print('The file does not end with the given hash: it lacks lines at its end, or has additional ones.')
      if (!verdict.ok || isOther) process.exitCode = 1
    })
}

function sentences(verdict: BillVerdict): string[] {
  if (!verdict.ok)
    return [`Line ${verdict.line} of the file: ${faults[verdict.fault]}.`, `  ${printable(verdict.text)}`]
  const { lines, from, through, head, pools } = verdict
  return [
    lines === 0
      ? 'The bill is in order. It has no hours yet.'
      : `The bill is in order: ${lines} lines, from ${from} to ${through}.`,
    ...pools.map(
      ({ pool, creditedBytes, chargedBytes, balanceBytes }) =>
        `  ${pool}: ${creditedBytes} bytes credited, ${chargedBytes} charged, ${balanceBytes} left.`,
    ),
    `Its hash is ${head}. The account shows the same one.`,
  ]
}

/** The file may come from a stranger: nothing in it may change the terminal. */
const printable = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?')
