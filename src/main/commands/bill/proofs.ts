/** The proofs that heads of a bill are in roots of days, as the command line verifies them. */
import type { BillVerdict } from '#contract/bill/bill'
import { rootOf, type RootProof, verifyRoots } from '#contract/bill/roots'
import { CommandFault } from '../terminal/command.ts'

type ProofFault =
  /** The file is not a proof. */
  | 'form'
  /** No line of the bill has the head of the proof, or a line with another number has it. */
  | 'head'
  /** The path of the proof does not lead to the root that it names. */
  | 'path'
  /** The published roots have no root of the proof's day. */
  | 'day'
  /** The published root of the proof's day differs. */
  | 'root'

export interface ProofVerdict {
  proof: RootProof | null
  fault: ProofFault | null
  /** The published root of the proof's day; null: no roots were given, or they have none of that day. */
  published: string | null
  /** Whether it was compared with published roots. */
  isCompared: boolean
}

/**
 * Verifies proofs; null stands for a file that is not a proof. `lines` has, for each proof, the line of the
 * bill with the proof's head; null: no line has it.
 */
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

/** States what the hash of a line proves about the lines after it. */
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
