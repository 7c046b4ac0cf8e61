/** What alerts are made of. */
import type { AlertKind } from '#contract/desk/alerts'

export interface NeedSubject {
  /** The same for as long as it is the same thing; empty where the kind says all. */
  key: string
  /** As people call it. */
  label: string
  /** The page of the desk that shows it, where it has one of its own. */
  page?: string
}

/** A condition that holds, with what it holds of. */
export interface Need {
  kind: AlertKind
  /** Of how many things it holds. */
  count: number
  /** Some of them, or all. */
  subjects: NeedSubject[]
  /** The page of the desk that shows these; that of the kind unless given. */
  page?: string
}
