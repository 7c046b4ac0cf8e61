import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Section } from '../../parts/section.tsx'
import { useShopDays } from '../../parts/shop-day.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { HealthBoard } from '../../subjects/health/board.tsx'
import { changeOf } from './change.ts'
import { Figure } from './figure.tsx'
import { Needs } from './needs.tsx'
import styles from './today.module.css'
import { useNamedPools } from './use-named-pools.ts'

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
  const named = useNamedPools()
  const { zone } = useShopDays()
  const { usd, traffic, number } = useFigures()
  const may = useMay()
  const { day } = today
  const settled = `/invoices?settled_from=${day}&settled_until=${day}`
  const span = new URLSearchParams({ from: today.day_began_at, until: today.at }).toString()
  return (
    <div className={styles.page}>
      {today.setup_left > 0 && may('setup') && (
        <p className={styles.setup}>
          <Link to="/setup">{t('setup.go')}</Link> <span>{t('setup.left', { count: today.setup_left })}</span>
        </p>
      )}
      <div className={styles.figures}>
        <Figure name={t('today.moneyIn')} figure={today.money_in_micros} format={usd} to={settled} />
        <Figure name={t('today.sold')} figure={today.sold_bytes} format={traffic} to={settled} />
        <Figure
          name={t('today.used')}
          figure={today.used_bytes}
          format={traffic}
          to={`/reports?report=usage&by=pool&from=${day}&until=${day}`}
        />
        {today.margin_micros !== null && (
          <Figure
            name={t('today.margin')}
            figure={today.margin_micros}
            format={usd}
            to={`/reports?report=margin&by=exit&from=${day}&until=${day}`}
          />
        )}
        <Figure
          name={t('today.newCustomers')}
          figure={today.new_customers}
          format={number}
          to={`/customers?joined_from=${day}&joined_to=${day}`}
        />
        {today.refused_requests !== null && (
          <Figure
            name={t('today.refused')}
            figure={today.refused_requests}
            format={number}
            to={`/traffic?${span}`}
            lessIsBetter
          />
        )}
      </div>
      <div className={styles.spans}>
        <MoneySince name={t('today.week')} span={today.week_money} until={day} />
        <MoneySince name={t('today.month')} span={today.month_money} until={day} />
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
                <li key={sentence} className={level === 'trouble' ? styles.trouble : undefined}>
                  <strong>
                    <CheckName name={name} />
                  </strong>
                  <span>{named(sentence)}</span>
                </li>
              ))}
            </ul>
          )}
        </Section>
      </div>
      {may('exit_health') && <HealthBoard />}
      <p className={styles.note}>
        <span>{t('today.note', { zone })}</span> <Link to="/invoices">{t('today.allInvoices')}</Link>
      </p>
    </div>
  )
}

interface MoneySinceProps {
  name: string
  span: Today['week_money']
  until: string
}

/** The money in of this week or month so far and of the same span before, and a link to its invoices. */
function MoneySince({ name, span, until }: MoneySinceProps) {
  const { t } = useTranslation('deskPages')
  const { usd, percent } = useFigures()
  const change = changeOf({ today: span.now, before: span.before })
  return (
    <p className={styles.span}>
      <span className={styles.spanName}>{name}</span>
      <Link to={`/invoices?settled_from=${span.from}&settled_until=${until}`} translate="no">
        {usd(span.now)}
      </Link>
      <span className={styles.spanBefore}>{t('today.spanBefore', { value: usd(span.before) })}</span>
      {change !== null && change !== 0 && (
        <span
          className={change > 0 ? styles.rise : styles.fall}
        >{`${change > 0 ? '+' : ''}${percent(change)}`}</span>
      )}
    </p>
  )
}

type CheckName = Today['before_you_open'][number]['name']

/** The pages where findings can be corrected; the desk cannot correct a finding that is not listed. */
const checkPages: Partial<Record<CheckName, string>> = {
  prices: '/prices',
  exits: '/exits',
  inventory: '/places',
  seller: '/shop?tab=seller',
  legal: '/shop?tab=legal',
  alerts: '/settings?tab=alerts',
  payments: '/settings?tab=connections',
  mail: '/settings?tab=connections',
}

function CheckName({ name }: { name: CheckName }) {
  const { t } = useTranslation('deskPages')
  const page = checkPages[name]
  const text = t(`today.check.${name}`)
  return page === undefined ? <span>{text}</span> : <Link to={page}>{text}</Link>
}
