import type { PartFault } from '#contract/desk/content'

/** Content of the operator that cannot be published; the message is a sentence for the operator. */
export class ContentFault extends Error {
  /** The field and the fault in it; null: the fault is in a banner, or in the part as a whole. */
  readonly at: { field: string; kind: PartFault; facts: Readonly<Record<string, unknown>> } | null

  constructor(message: string, at: ContentFault['at'] = null) {
    super(message)
    this.at = at
  }
}
