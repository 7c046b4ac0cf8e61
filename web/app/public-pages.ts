/** The public pages: their code and their texts. */
import type { ComponentType } from 'react'
import type { Namespace } from './i18n.ts'
import type { PublicPath } from './paths.ts'

interface PublicPage {
  /** The module, as the build's manifest names it. */
  source: string
  load: () => Promise<ComponentType>
  texts: Namespace[]
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
    source: 'storefront/reading/reviews.tsx',
    load: async () => (await import('../storefront/reading/reviews.tsx')).ReviewsPage,
    texts: ['reviews'],
  },
  '/rules': {
    source: 'storefront/reading/rules.tsx',
    load: async () => (await import('../storefront/reading/rules.tsx')).RulesPage,
    texts: ['rules'],
  },
}
