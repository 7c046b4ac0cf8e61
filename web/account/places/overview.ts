import { MainTab } from '../main/main-tab.tsx'
import type { TabsOf } from './places.ts'

export const contents: TabsOf<'overview'> = {
  main: MainTab,
}
