import type { DeskOutput } from '#contract/desk/contract'

/** An incident with its updates. */
export type Incident = DeskOutput<'incidents'>['rows'][number]
