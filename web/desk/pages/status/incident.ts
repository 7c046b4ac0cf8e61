import type { DeskOutput } from '#contract/desk/contract'

/** An incident with what was said of it. */
export type Incident = DeskOutput<'incidents'>['rows'][number]
