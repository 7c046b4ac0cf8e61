/** The code and the texts of the public pages. */
import type { ComponentType } from 'react'
import { type LegalPage, legalPaths } from '#contract/legal/pages'
import type { PublicPath } from '#contract/pages'
import type { Namespace } from '../state/i18n.ts'

interface PublicPage {
  /** The module, as the manifest of the build names it. */
  source: string
  load: () => Promise<ComponentType>
  texts: Namespace[]
}

/** The module of all legal pages; the address says which page it shows. */
const legalPage: PublicPage = {
  source: 'storefront/content/legal.tsx',
  load: async () => (await import('../storefront/content/legal.tsx')).LegalPage,
  texts: ['legal'],
}

export const publicPages: Readonly<Record<PublicPath, PublicPage>> = {
  '/': {
    source: 'storefront/home/home.tsx',
    load: async () => (await import('../storefront/home/home.tsx')).HomePage,
    texts: ['home'],
  },
  '/proxy': {
    source: 'storefront/proxy/proxy.tsx',
    load: async () => (await import('../storefront/proxy/proxy.tsx')).ProxyPage,
    texts: ['proxyOnline'],
  },
  '/shares': {
    source: 'storefront/shares/shares.tsx',
    load: async () => (await import('../storefront/shares/shares.tsx')).SharesPage,
    texts: ['reviews'],
  },
  '/reviews': {
    source: 'storefront/content/reviews.tsx',
    load: async () => (await import('../storefront/content/reviews.tsx')).ReviewsPage,
    texts: ['reviews'],
  },
  '/rules': {
    source: 'storefront/content/rules.tsx',
    load: async () => (await import('../storefront/content/rules.tsx')).RulesPage,
    texts: ['rules'],
  },
  '/docs': {
    source: 'storefront/docs/docs.tsx',
    load: async () => (await import('../storefront/docs/docs.tsx')).DocsPage,
    texts: ['docs', 'gatewayRefusals'],
  },
  '/status': {
    source: 'storefront/status/status.tsx',
    load: async () => (await import('../storefront/status/status.tsx')).StatusPage,
    texts: ['status'],
  },
  ...(Object.fromEntries(Object.values(legalPaths).map((path) => [path, legalPage])) as Record<
    (typeof legalPaths)[LegalPage],
    PublicPage
  >),
}
