import { MainTab } from '../main/main-tab.tsx'
import type { TabsOf } from './tab-content.ts'

export const contents: TabsOf<'overview'> = {
  main: MainTab,
}
