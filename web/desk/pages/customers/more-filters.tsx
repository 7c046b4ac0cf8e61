import { useToldRead } from '../../state/told-read.ts'
import { useSearchParams } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { ChoiceFilter, DayFilter, TextFilter } from '../../parts/filters.tsx'
import { useCountryName } from '../../parts/use-country-name.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import styles from './customers.module.css'
import { moreFilters } from './filters.ts'

/** The less frequent filters; expanded at first if the address has one. */
export function MoreFilters() {
  const { t } = useTranslation(['deskCustomer', 'deskPages'])
  const [search] = useSearchParams()
  const may = useMay()
  const used = moreFilters.filter((name) => search.has(name)).length
  return (
    <details className={styles.more} open={used > 0 || undefined}>
      <summary>{used === 0 ? t('filters.more') : t('filters.used', { count: used })}</summary>
      <div className={styles.moreFields}>
        <TextFilter field="spent_from" label={t('filters.spentFrom')} />
        <TextFilter field="spent_to" label={t('filters.spentTo')} />
        <TextFilter field="balance_from" label={t('filters.balanceFrom')} />
        <TextFilter field="balance_to" label={t('filters.balanceTo')} />
        <TextFilter field="campaign" label={t('filters.campaign')} />
        <CountryFilter />
        <PriceListFilter />
        {may('margin_report') && (
          <ChoiceFilter
            field="margin"
            label={t('deskPages:customers.margin')}
            all={t('filters.anyMargin')}
            options={[{ value: 'loss', label: t('deskPages:customers.lossMakers') }]}
          />
        )}
        <TextFilter field="inviter" label={t('filters.inviter')} />
        <DayFilter field="seen_to" label={t('filters.seenTo')} />
        <DayFilter field="joined_from" label={t('deskPages:customers.joinedFrom')} />
        <DayFilter field="joined_to" label={t('deskPages:customers.joinedTo')} />
      </div>
    </details>
  )
}

/** The countries in which customers signed up; absent where the shop does not know them. */
function CountryFilter() {
  const { t } = useTranslation('deskCustomer')
  const countryName = useCountryName()
  const { data: countries = [] } = useToldRead(query('sign_up_countries', {}))
  if (countries.length === 0) return null
  return (
    <ChoiceFilter
      field="country"
      label={t('filters.country')}
      all={t('filters.anyCountry')}
      options={countries.map(({ country, customers }) => ({
        value: country,
        label: `${countryName(country)} (${customers})`,
      }))}
    />
  )
}

/** The price lists; absent where there are none, and for members who may not see prices. */
function PriceListFilter() {
  const { t } = useTranslation(['deskCustomer', 'deskPages'])
  const may = useMay()
  const { data: lists = [] } = useToldRead({ ...query('price_lists', {}), enabled: may('price_lists') })
  if (lists.length === 0) return null
  return (
    <ChoiceFilter
      field="price_list"
      label={t('deskPages:priceLists.one')}
      all={t('filters.anyPrices')}
      options={lists.map(({ id, name, customers }) => ({ value: id, label: `${name} (${customers})` }))}
    />
  )
}
