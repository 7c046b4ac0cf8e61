/** The pools that the shop sells: pages name no others, except those that a customer holds. */
import type { Pool } from '#contract/wire'
import { useLanguage, useTranslation } from '../i18n.ts'
import { useSite } from '../site.ts'

const none: { sold: Pool[]; soon: Pool[] } = { sold: [], soon: [] }

/** The pools on sale and those announced; none while the site's settings are unknown. */
export const useSitePools = (): { sold: Pool[]; soon: Pool[] } => useSite()?.pools ?? none

/**
 * The requested pool if it is on sale, else the first one on sale. While the pools are unknown: the requested
 * one.
 */
export const soldPool = (sold: readonly Pool[], requested: Pool | undefined): Pool =>
  sold.find((pool) => pool === requested) ?? sold[0] ?? requested ?? 'residential'

/** The kinds of addresses on sale: "residential, datacenter and mobile"; null: none, or unknown. */
export function useSoldKinds(): string | null {
  const { t } = useTranslation('header')
  const language = useLanguage()
  const { sold } = useSitePools()
  if (sold.length === 0) return null
  return new Intl.ListFormat(language).format(sold.map((pool) => t(`kinds.${pool}`)))
}
