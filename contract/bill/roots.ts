/**
 * The roots of days over the heads of all bills, and the proof that a head is in one: docs/bill.md. The
 * browser and the command line use the same.
 */
import * as z from 'zod'
import { billStart } from './bill.ts'
import { bytesOf, sha256 } from './digest.ts'

/** The first line of the file of roots. */
export const rootsHeader = 'day_utc,root,sha256'

const hash = z.string().regex(/^[0-9a-f]{64}$/)

/** That the head of a bill was among those of a day. */
export const rootProof = z.object({
  /** On which the root was made, UTC. */
  day: z.string().regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/),
  /** The line of the bill that was its last one. */
  line: z.number().int().positive(),
  /** The hash of that line. */
  head: hash,
  /** Random to everybody but the shop and the customer, so that a leaf does not reveal whose it is. */
  nonce: hash,
  /** The place of the leaf, from 0. */
  index: z.number().int().nonnegative(),
  /** The other node at each level, from the leaf upwards. */
  path: z.array(hash).max(40),
  root: hash,
})
export type RootProof = z.infer<typeof rootProof>

/** Reads the file of a proof; null: the file is not a proof. */
export function readProof(text: string): RootProof | null {
  try {
    return rootProof.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** The root to which a proof leads; it proves something only if it is the root that was published. */
export async function rootOf({ head, nonce, index, path }: RootProof): Promise<string> {
  let node = await sha256([0, ...bytesOf(nonce), ...bytesOf(head)])
  let at = index
  for (const other of path) {
    const [left, right] = at % 2 === 0 ? [node, other] : [other, node]
    node = await sha256([1, ...bytesOf(left), ...bytesOf(right)])
    at = Math.floor(at / 2)
  }
  return at === 0 ? node : ''
}

type RootsVerdict =
  | { ok: true; roots: ReadonlyMap<string, string>; head: string }
  /** `line`: the number of the line in the file, where the header is line 1. */
  | { ok: false; line: number }

/** Verifies the file of roots: each line follows from the line before, and no day appears twice. */
export async function verifyRoots(text: string): Promise<RootsVerdict> {
  const lines = text.split('\n')
  if (lines[0] !== rootsHeader) return { ok: false, line: 1 }
  if (lines.length < 2 || lines.at(-1) !== '') return { ok: false, line: lines.length }
  const roots = new Map<string, string>()
  let head = billStart
  let before = ''
  for (const [index, line] of lines.slice(1, -1).entries()) {
    const [day = '', root = '', own = '', ...rest] = line.split(',')
    const isLine = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(day) && /^[0-9a-f]{64}$/.test(root)
    if (!isLine || rest.length > 0 || day <= before) return { ok: false, line: index + 2 }
    if ((await sha256(`${head},${day},${root}`)) !== own) return { ok: false, line: index + 2 }
    roots.set(day, root)
    head = own
    before = day
  }
  return { ok: true, roots, head }
}
