/** The proofs that heads of a bill are in roots of days, as the command line verifies them. */
import type { BillVerdict } from '#contract/bill/bill'
import { rootOf, type RootProof, verifyRoots } from '#contract/bill/roots'
import { CommandFault } from '../terminal/command.ts'

type ProofFault =
  /** The file is no proof. */
  | 'form'
  /** No line of the bill has its head, or another line than it says. */
  | 'head'
  /** It does not lead to the root that it names. */
  | 'path'
  /** The published roots have none for its day. */
  | 'day'
  /** The published root of its day is another one. */
  | 'root'

export interface ProofVerdict {
  proof: RootProof | null
  fault: ProofFault | null
  /** The root of its day in the published roots; null: they were not given, or have none. */
  published: string | null
  /** Whether it was compared with published roots. */
  isCompared: boolean
}

/** Verifies proofs; null: the file was none. `lines` has the line of the bill that has the head of each; null: none has. */
export async function verifyProofs({
  proofs,
  lines,
  rootsText,
}: {
  proofs: readonly (RootProof | null)[]
  lines: readonly (number | null)[]
  rootsText: string | null
}): Promise<ProofVerdict[]> {
  const roots = rootsText === null ? null : await verifyRoots(rootsText)
  if (roots?.ok === false)
    throw new CommandFault(`Line ${roots.line} of the file of roots does not follow from those before it.`)
  return Promise.all(
    proofs.map(async (proof, index): Promise<ProofVerdict> => {
      const published = proof === null ? null : (roots?.roots.get(proof.day) ?? null)
      const fault = async (): Promise<ProofFault | null> => {
        if (proof === null) return 'form'
        if (lines[index] !== proof.line) return 'head'
        if ((await rootOf(proof)) !== proof.root) return 'path'
        if (roots === null) return null
        return published === null ? 'day' : published === proof.root ? null : 'root'
      }
      return { proof, fault: await fault(), published, isCompared: roots !== null }
    }),
  )
}

/** What a hash says of the lines after the one that it is of. */
export const ofLater = (lines: number): string =>
  lines === 0 ? '' : ` It proves nothing of the ${lines} after it.`

export function proofSentences({ lines }: BillVerdict & { ok: true }, verdict: ProofVerdict): string[] {
  const { proof, fault, published, isCompared } = verdict
  if (proof === null) return ['FAILED: a file given as a proof is none.']
  const { day, line, head, root } = proof
  if (fault === 'head')
    return [
      `FAILED: the proof of ${day} is of line ${line} with the hash ${head}, which the file does not have.`,
    ]
  if (fault === 'path') return [`FAILED: the proof of ${day} does not lead to its root ${root}.`]
  if (fault === 'day') return [`FAILED: the published roots have none of ${day}.`]
  if (fault === 'root')
    return [`FAILED: the proof of ${day} leads to the root ${root}, and the published one is ${published}.`]
  const newer = ofLater(lines - line)
  return [
    isCompared
      ? `Line ${line} is in the published root of ${day}: the lines up to it existed when that root was published.${newer}`
      : `The proof of ${day} leads from line ${line} to the root ${root}. It proves something once you compare this root with the one that the shop published that day (--roots).${newer}`,
  ]
}
