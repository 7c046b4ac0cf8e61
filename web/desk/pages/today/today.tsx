import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { Figure } from './figure.tsx'
import { Needs } from './needs.tsx'
import styles from './today.module.css'

type Today = DeskOutput<'today'>

const freshMs = 60_000

export function TodayPage() {
  const { t } = useTranslation('deskPages')
  const today = useQuery({ ...query('today', {}), refetchInterval: freshMs })
  return (
    <>
      <PageHead
        title={t('today.title')}
        meta={
          today.data && (
            <span className={styles.at}>
              <Moment iso={today.data.at} recent />
            </span>
          )
        }
      />
      <Loaded query={today}>{(data) => <Content today={data} />}</Loaded>
    </>
  )
}

function Content({ today }: { today: Today }) {
  const { t } = useTranslation('deskPages')
  const { usd, traffic, number } = useFigures()
  const day = today.at.slice(0, 10)
  return (
    <div className={styles.page}>
      <div className={styles.figures}>
        <Figure
          name={t('today.moneyIn')}
          figure={today.money_in_micros}
          format={usd}
          to={`/invoices?state=paid&from=${day}`}
        />
        <Figure
          name={t('today.sold')}
          figure={today.sold_bytes}
          format={traffic}
          to={`/invoices?state=paid&from=${day}`}
        />
        <Figure name={t('today.used')} figure={today.used_bytes} format={traffic} />
        <Figure
          name={t('today.newCustomers')}
          figure={today.new_customers}
          format={number}
          to="/customers?sort=newest"
        />
        {today.refused_requests !== null && (
          <Figure name={t('today.refused')} figure={today.refused_requests} format={number} lessIsBetter />
        )}
      </div>
      <div className={styles.columns}>
        <Section title={t('today.needsYou')}>
          <Needs needs={today.needs_you} />
        </Section>
        <Section title={t('today.beforeYouOpen')}>
          {today.before_you_open.length === 0 ? (
            <p className={styles.calm}>{t('today.allInOrder')}</p>
          ) : (
            <ul className={styles.faults}>
              {today.before_you_open.map(({ name, level, sentence }) => (
                <li key={name} className={level === 'trouble' ? styles.trouble : undefined}>
                  <strong>{name}</strong>
                  <span>{sentence}</span>
                </li>
              ))}
            </ul>
          )}
        </Section>
      </div>
      <p className={styles.note}>
        {t('today.note')} <Link to="/invoices">{t('today.allInvoices')}</Link>
      </p>
    </div>
  )
}
