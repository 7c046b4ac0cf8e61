/**
 * turnpike verify-bill: verifies a customer's bill, a file that they downloaded, against hashes that they
 * kept and the published roots of days; needs neither settings nor a database.
 */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type BillFault, type BillVerdict, type KeptHead, verifyBill } from '#contract/bill/bill'
import { hashFromText } from '#contract/bill/digest'
import { readProof } from '#contract/bill/roots'
import { CommandFault, json, print, printJson } from '../terminal/command.ts'
import { ofLater, type ProofVerdict, proofSentences, verifyProofs } from './proofs.ts'

const faults: Readonly<Record<BillFault, string>> = {
  form: 'it is not written as a line of a bill is',
  number: 'its number is not the next one: lines are missing, or there are too many',
  hour: 'its hour is before that of the line before',
  hash: 'its hash is another: it, or a line before it, was changed after it was made',
  balance: 'the balance before it and its bytes do not sum to its balance',
}

interface Options {
  head?: string
  kept?: string[]
  proof?: string[]
  roots?: string
  json?: boolean
}

export function billCommand(turnpike: Command): void {
  turnpike
    .command('verify-bill')
    .argument('<file>', 'the downloaded bill')
    .option('--head <hash>', 'the hash that the account shows now: the file must end with it')
    .option('--kept <hashes...>', 'older hashes, as of letters: lines of the file must have them')
    .option('--proof <files...>', 'proofs of the account that heads of the file are in roots of days')
    .option(
      '--roots <file>',
      'the published roots, as you have saved them: those of the proofs must be there',
    )
    .addOption(json())
    .description('verify that a bill agrees with itself, and with hashes that were kept elsewhere')
    .action(verify)
}

async function verify(file: string, options: Options): Promise<void> {
  const head = options.head === undefined ? undefined : hashOf(options.head)
  const wanted = (options.kept ?? []).map(hashOf)
  if (options.roots !== undefined && options.proof === undefined)
    throw new CommandFault('--roots needs a proof of your own: --proof.')
  const proofs = (await Promise.all((options.proof ?? []).map(read))).map((text) => readProof(String(text)))
  const bytes = await read(file)
  const verdict = await verifyBill(bytes, [
    ...(head === undefined ? [] : [head]),
    ...wanted,
    ...proofs.map((proof) => proof?.head ?? ''),
  ])
  if (!verdict.ok) {
    if (options.json === true) printJson(verdict)
    else for (const sentence of badSentences(verdict)) print(sentence)
    process.exitCode = 1
    return
  }
  const found = [...verdict.kept]
  const ofHead = head === undefined ? undefined : found.shift()
  const kept = found.splice(0, wanted.length)
  const rootsText = options.roots === undefined ? null : (await read(options.roots)).toString()
  const proved = await verifyProofs({ proofs, lines: found.map(({ line }) => line), rootsText })
  const isOk =
    (head === undefined || head === verdict.head) &&
    kept.every(({ line }) => line !== null) &&
    proved.every(({ fault }) => fault === null)
  if (options.json === true)
    printJson({
      ...verdict,
      ...(head === undefined ? {} : { head_matches: head === verdict.head }),
      kept,
      proofs: proved,
    })
  else for (const sentence of goodSentences(verdict, { ofHead, kept, proofs: proved })) print(sentence)
  if (!isOk) process.exitCode = 1
}

function hashOf(text: string): string {
  const hash = hashFromText(text)
  if (hash === null) throw new CommandFault('A hash has 64 hexadecimal digits.')
  return hash
}

const read = (file: string) =>
  readFile(file).catch((error: unknown) => {
    throw new CommandFault(`${file} cannot be read (${(error as { code?: string }).code}).`)
  })

const badSentences = (verdict: BillVerdict & { ok: false }) => [
  `Line ${verdict.line} of the file: ${faults[verdict.fault]}.`,
  `  ${printable(verdict.text)}`,
]

interface Compared {
  ofHead: KeptHead | undefined
  kept: readonly KeptHead[]
  proofs: readonly ProofVerdict[]
}

function goodSentences(verdict: BillVerdict & { ok: true }, { ofHead, kept, proofs }: Compared): string[] {
  const { lines, from, through, head, pools } = verdict
  return [
    lines === 0
      ? 'The file agrees with itself. It has no hours yet.'
      : `The file agrees with itself: ${lines} lines, from ${from} to ${through}.`,
    ...pools.map(
      ({ pool, creditedBytes, chargedBytes, balanceBytes }) =>
        `  ${pool}: ${creditedBytes} bytes credited, ${chargedBytes} charged, ${balanceBytes} left.`,
    ),
    `Its last hash is ${head}.`,
    ...(ofHead === undefined ? [] : headSentences(verdict, ofHead)),
    ...kept.flatMap((one) => keptSentences(verdict, one)),
    ...proofs.flatMap((proof) => proofSentences(verdict, proof)),
    ...(ofHead === undefined && kept.length === 0 && proofs.length === 0 ? alone : []),
  ]
}

/** What a file cannot prove by itself. */
const alone = [
  'By itself this does not prove that the shop made the file, or that no lines are missing at its end: whoever',
  'changes a line can compute all hashes anew. Compare the last hash with the one that the account shows (--head),',
  'or give hashes from earlier letters (--kept) or proofs from the account (--proof).',
]

const absent =
  'lines are missing at its end, or lines were changed and the hashes after them computed anew, or it is another bill'

function headSentences(
  { head, lines }: BillVerdict & { ok: true },
  { head: given, line }: KeptHead,
): string[] {
  if (given === head)
    return ['It is the given one: the file has the lines that this hash was made of, no more and no fewer.']
  const but = `FAILED: the file ends with ${head}, and the given hash is ${given}`
  return [
    line === null
      ? `${but}, which no line has: ${absent}.`
      : `${but}, that of line ${line}: the ${lines - line} after it are newer than the given hash, or are not the shop's.`,
  ]
}

function keptSentences(
  { head, lines }: BillVerdict & { ok: true },
  { head: given, line }: KeptHead,
): string[] {
  if (line === null)
    return [`FAILED: no line has the kept hash ${given}; the file ends with ${head}: ${absent}.`]
  return [
    `The kept hash ${given} is that of line ${line}: the lines up to it are those it was made of.${ofLater(lines - line)}`,
  ]
}

/** The file may come from a stranger: nothing in it may change the terminal. */
const printable = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?')
