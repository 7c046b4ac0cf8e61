import { LimitsTab } from '../security/limits-tab.tsx'
import { UsersTab } from '../users/users-tab.tsx'
import { WhitelistTab } from '../whitelist/whitelist-tab.tsx'
import type { TabsOf } from './tab-content.ts'

export const contents: Omit<TabsOf<'proxies'>, 'panel'> = {
  proxyUsers: UsersTab,
  whitelist: WhitelistTab,
  limits: LimitsTab,
}
