/** The code of the account: a bundle for each of its places, fetched when the first tab of it is opened. */
import { type Place, placeOf, type Tab } from '#contract/account-tabs'
import { loadTexts, type Namespace } from '../../state/i18n.ts'
import type { TabContent } from './tab-content.ts'

/** The generator is larger than the rest of its place, which few visits to it open. */
type Bundle = Place | 'generator'

const bundles: Readonly<Record<Bundle, () => Promise<{ contents: Partial<Record<Tab, TabContent>> }>>> = {
  overview: () => import('./overview.ts'),
  generator: () => import('./generator.ts'),
  proxies: () => import('./proxies.ts'),
  usage: () => import('./usage.ts'),
  billing: () => import('./billing.ts'),
  settings: () => import('./settings.ts'),
}

const bundleOf = (tab: Tab): Bundle => (tab === 'panel' ? 'generator' : placeOf(tab))

/** The module of a tab, as the manifest of the build names it. */
export const sourceOf = (tab: Tab) => `account/places/${bundleOf(tab)}.ts`

export async function loadTab(tab: Tab): Promise<TabContent> {
  const { contents } = await bundles[bundleOf(tab)]()
  const content = contents[tab]
  if (content === undefined) throw new Error(`no tab ${tab}`)
  return content
}

/** The texts of the dialog that asks for the owner’s proof. */
const guarded = ['factors', 'security'] as const

/** The texts of a tab besides those of every tab. */
export const textsOfTab: Readonly<Record<Tab, readonly Namespace[]>> = {
  main: ['requests', 'gatewayRefusals'],
  panel: ['userPanel', 'generator'],
  proxyUsers: ['userPanel', 'proxyUsers'],
  whitelist: ['userPanel'],
  limits: ['userPanel'],
  statistic: ['userPanel', 'usage'],
  requests: ['userPanel', 'requests', 'gatewayRefusals'],
  bill: ['userPanel', 'usage'],
  invoices: ['userPanel', 'money'],
  topup: ['userPanel'],
  moves: ['userPanel', 'moves'],
  referal: ['userPanel', 'referral'],
  profile: ['userPanel', 'usage'],
  changePass: ['userPanel', ...guarded],
  notices: ['userPanel'],
  team: ['userPanel', 'team', ...guarded],
  resell: ['userPanel', ...guarded],
}

/** The texts of the frame around the tabs. */
export const textsOfAccount = ['userBtns'] as const

const prepared = new Map<Tab, TabContent>()

/** Loads the code and the texts of a tab. */
export async function prepareTab(tab: Tab): Promise<void> {
  const [content] = await Promise.all([loadTab(tab), loadTexts(...textsOfTab[tab])])
  prepared.set(tab, content)
}

/** A tab that is prepared: it can be rendered at once. */
export const preparedTab = (tab: Tab): TabContent | undefined => prepared.get(tab)
