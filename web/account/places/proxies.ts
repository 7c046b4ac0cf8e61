import { GeneratorTab } from '../generator/generator-tab.tsx'
import { LimitsTab } from '../security/limits-tab.tsx'
import { UsersTab } from '../users/users-tab.tsx'
import { WhitelistTab } from '../whitelist/whitelist-tab.tsx'
import type { TabsOf } from './places.ts'

export const contents: TabsOf<'proxies'> = {
  panel: GeneratorTab,
  proxyUsers: UsersTab,
  whitelist: WhitelistTab,
  limits: LimitsTab,
}
