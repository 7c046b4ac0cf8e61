/** Conditions that need the staff's attention. */
import type { AlertKind } from '#contract/desk/alerts'

export interface NeedSubject {
  /** Stable identifier of the subject; empty where the kind has a single subject. */
  key: string
  /** Its display name. */
  label: string
  /** The page of the desk that shows it, where it has one of its own. */
  page?: string
}

/** A condition that holds, with its subjects. */
export interface Need {
  kind: AlertKind
  /** The number of its subjects. */
  count: number
  /** Some of them, or all. */
  subjects: NeedSubject[]
  /** The page of the desk that shows these; default: the page of the kind. */
  page?: string
}
