import { usePrice } from '../../state/currency.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { ownQuery, query } from '../../state/reads/queries.ts'
import { useFormat } from '../../state/use-format.ts'
import { multiplierOfSettings } from '../panel/cascade.ts'
import type { Settings } from '../panel/settings.ts'
import type { Geo } from '../panel/use-geo.ts'
import styles from './line-figures.module.css'
import { matchingAddresses } from '../panel/matching.ts'

const hourIntervalMs = 60_000

/** What a gigabyte of the line costs, how many addresses match it, and how it did in the last hour. */
export function LineFigures({ settings, geo }: { settings: Settings; geo: Geo }) {
  const { t } = useTranslation('generator')
  const { number, percent } = useFormat()
  const shown = usePrice()
  const base = useOptionalRead(ownQuery('prices', {}))?.[settings.pool]
  const countries = settings.countries.map(({ code }) => code)
  const hour = useOptionalRead({
    ...query('get_last_hour', { pool: settings.pool, countries }),
    refetchInterval: hourIntervalMs,
  })
  const matching = matchingAddresses(settings, {
    countries: geo.countries.data,
    states: geo.states.data,
    cities: geo.cities.data,
    zipcodes: geo.zipcodes.data,
    asns: geo.asns.data,
  })
  const multiplier = multiplierOfSettings(settings)
  const addresses = matching === null ? '—' : number(matching.addresses)
  // 99.96 % must not be shown as 100 %.
  const share =
    hour === undefined || hour.attempted === 0
      ? null
      : hour.reached === hour.attempted
        ? 1
        : Math.min(0.99, hour.reached / hour.attempted)
  const median = hour?.median_ms ?? null
  return (
    <dl className={styles.figures}>
      <div>
        <dt>{t(multiplier === 2 ? 'figures.priceDouble' : 'figures.price')}</dt>
        <dd translate="no">{base === undefined ? '—' : shown(base * multiplier)}</dd>
      </div>
      <div>
        <dt>{t('figures.addresses')}</dt>
        <dd translate="no">
          {matching?.isAtMost === true ? t('figures.atMost', { number: addresses }) : addresses}
        </dd>
      </div>
      <div>
        <dt>{t('figures.hour')}</dt>
        <dd translate="no">
          {share === null && median === null
            ? '—'
            : [
                share === null ? '—' : percent(share),
                median === null ? '—' : t('figures.ms', { ms: number(median) }),
              ].join(' · ')}
        </dd>
      </div>
    </dl>
  )
}
