import { useToldRead } from '../../../state/told-read.ts'
import { useTranslation } from '../../../../state/i18n.ts'
import { Button } from '../../../../ui/button.tsx'
import { classNames } from '../../../../ui/class-names.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Moment } from '../../../parts/moment.tsx'
import { useFigures } from '../../../parts/use-figures.ts'
import { query } from '../../../state/api.ts'
import { useMay } from '../../../state/session.ts'
import type { Column } from '../../../table/columns.ts'
import type { Account, OpenedAccount } from './opened.ts'
import styles from './accounts.module.css'

/** The data of an account, and what its seller does not offer. */
export function useAccountColumns(setOpen: (opened: OpenedAccount) => void): readonly Column<Account>[] {
  const { t } = useTranslation('deskSellers')
  const { number } = useFigures()
  const may = useMay()
  const sellers = useToldRead(query('sellers', {}))
  const isOffered = ({ seller }: Account, part: 'usage' | 'places') =>
    sellers.data?.find(({ name }) => name === seller)?.offers.includes(part) !== false
  const meterOf = ({ seller }: Account) => sellers.data?.find(({ name }) => name === seller)?.meter ?? null
  const notOffered = <span className={styles.quiet}>{t('sellers.notOffered')}</span>
  return [
    {
      id: 'account',
      title: t('sellers.column'),
      fixed: true,
      phone: true,
      cell: ({ id, label, title }) => (
        <div className={styles.account}>
          {may('set_seller_account') ? (
            <button type="button" className={styles.name} onClick={() => setOpen({ id, dialog: 'set' })}>
              {label}
            </button>
          ) : (
            <span>{label}</span>
          )}
          <span className={styles.second}>{title}</span>
        </div>
      ),
    },
    {
      id: 'state',
      title: t('sellers.stateColumn'),
      phone: true,
      cell: (account) => <State account={account} />,
    },
    {
      id: 'left',
      title: t('sellers.left'),
      numeric: true,
      phone: true,
      cell: (account) => <Left account={account} />,
    },
    {
      id: 'exits',
      title: t('sellers.exitsColumn'),
      cell: ({ exits }) =>
        exits.length === 0 ? (
          <span className={styles.quiet}>{t('sellers.noExit')}</span>
        ) : (
          exits.map(({ name }) => name).join(', ')
        ),
    },
    {
      id: 'bill',
      title: t('sellers.billColumn'),
      cell: (account) =>
        isOffered(account, 'usage') || meterOf(account) !== null ? (
          <Button size="small" onClick={() => setOpen({ id: account.id, dialog: 'bill' })}>
            {t('sellers.bill')}
          </Button>
        ) : (
          notOffered
        ),
    },
    {
      id: 'places',
      title: t('sellers.placesColumn'),
      cell: (account) => {
        if (!isOffered(account, 'places')) return notOffered
        const { places, asked, id } = account
        return (
          <>
            {places === null ? (
              <span className={styles.quiet}>{t('sellers.placesNone')}</span>
            ) : (
              <span>
                {t('sellers.placesOf', { rows: number(places.rows), addresses: number(places.addresses) })}
              </span>
            )}
            {asked !== null && (
              <span className={styles.asked}>
                <Badge tone="warning">{t('sellers.askedShort')}</Badge>
                {may('decide_seller_places') && (
                  <Button size="small" onClick={() => setOpen({ id, dialog: 'places' })}>
                    {t('sellers.decide')}
                  </Button>
                )}
              </span>
            )}
          </>
        )
      },
    },
  ]
}

/** Whether the account can be read; if not, the seller's own message. */
function State({ account: { readings } }: { account: Account }) {
  const { t } = useTranslation('deskSellers')
  const failed = readings.filter(({ fault }) => fault !== null)
  const read = readings.find(({ part }) => part === 'balance')?.read_at ?? null
  if (failed.length === 0)
    return (
      <>
        <Badge tone={read === null ? 'quiet' : 'good'}>
          {t(read === null ? 'sellers.state.fresh' : 'sellers.state.good')}
        </Badge>
        {read !== null && (
          <span className={styles.second}>
            <Moment iso={read} recent />
          </span>
        )}
      </>
    )
  return failed.map(({ part, fault, due_at: due }) => (
    <div key={part} className={styles.fault}>
      <Badge tone={due === null || fault?.kind === 'refused' ? 'bad' : 'warning'}>
        {`${t(`sellers.part.${part}`)}: ${fault !== null ? t(`sellers.fault.${fault.kind}`) : ''}${due === null ? `, ${t('sellers.state.stopped')}` : ''}`}
      </Badge>
      <span className={styles.second}>{fault?.message}</span>
    </div>
  ))
}

/** The remaining traffic, how long it lasts, and the pools where customers hold more than remains. */
function Left({ account }: { account: Account }) {
  const { t } = useTranslation(['deskSellers', 'header'])
  const { traffic, usd, language } = useFigures()
  const { left_bytes: bytes, left_micros: micros, days_left: days, is_low: isLow, short } = account
  if (bytes === null && micros === null) return <span className={styles.quiet}>{t('sellers.untold')}</span>
  const count = days?.toLocaleString(language, { maximumFractionDigits: 1 })
  return (
    <>
      <span className={classNames(isLow && styles.loss)}>
        <span>
          {[bytes === null ? null : traffic(bytes), micros === null ? null : usd(micros)]
            .filter((text) => text !== null)
            .join(', ')}
        </span>
        {bytes !== null && (
          <span className={styles.second}>
            {count === undefined ? t('sellers.lasts') : t('sellers.days', { count })}
          </span>
        )}
      </span>
      {short.map(({ pool, held_bytes: held, left_bytes: left }) => (
        <span key={pool} className={classNames(styles.second, styles.loss)}>
          {t('sellers.short', { pool: t(`header:pools.${pool}`), held: traffic(held), left: traffic(left) })}
        </span>
      ))}
    </>
  )
}
