import { GeneratorTab } from '../generator/generator-tab.tsx'
import type { TabsOf } from './tab-content.ts'

export const contents: Pick<TabsOf<'proxies'>, 'panel'> = { panel: GeneratorTab }
