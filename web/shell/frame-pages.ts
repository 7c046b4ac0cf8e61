/** The code and the texts of the frames that the server renders (contract/frames.ts). */
import { type Tab, tabHref, tabs } from '#contract/account-tabs'
import type { Frame } from '#contract/frames/frames'
import type { PageRenderer } from '#contract/page-renderer'
import { sourceOf, textsOfAccount, textsOfTab } from '../account/places/places.ts'

type Sources = PageRenderer['framePages'][Frame]

const ofTab = (tab: Tab): Sources => ({
  source: 'account/page/account.tsx',
  parts: [sourceOf(tab)],
  texts: [...textsOfAccount, ...textsOfTab[tab]],
})

export const framePages: PageRenderer['framePages'] = {
  ...(Object.fromEntries(tabs.map((tab) => [tabHref(tab), ofTab(tab)])) as Record<
    Exclude<Frame, '/login'>,
    Sources
  >),
  '/login': { source: 'storefront/auth/login.tsx', texts: ['auth', 'factors'] },
}
