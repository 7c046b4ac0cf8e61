import type { ComponentType } from 'react'
import type { Place, places } from '#contract/account-tabs'
import type { Session } from '../../state/session.ts'

/** What a tab of the account shows. */
export type TabContent = ComponentType<{ user: Session }>
export type TabsOf<P extends Place> = Readonly<Record<(typeof places)[P][number], TabContent>>
