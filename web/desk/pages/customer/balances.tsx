import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { PoolIcon } from '../../../ui/graphics/pool-icon.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { totalOf } from './held.ts'
import type { Customer } from './types.ts'
import styles from './customer.module.css'

/** What the customer has: traffic by pool, the referral balance, and the money balance. */
export function Balances({ customer }: { customer: Customer }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { traffic, usd } = useFigures()
  return (
    <Section title={t('customer.balances')}>
      <div className={styles.balances}>
        <table>
          <caption className="sr-only">{t('customer.balances')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('column.pool')}</th>
              <th scope="col">{t('column.balance')}</th>
              <th scope="col" className={styles.wide}>
                {t('customer.paid')}
              </th>
              <th scope="col" className={styles.wide}>
                {t('customer.bonus')}
              </th>
              <th scope="col" className={styles.wide}>
                {t('customer.leased')}
              </th>
              <th scope="col" className={styles.wide}>
                {t('customer.reserved')}
              </th>
              <th scope="col">{t('customer.used30')}</th>
            </tr>
          </thead>
          <tbody>
            {customer.pools.map((each) => {
              const total = totalOf(each)
              return (
                <tr key={each.pool}>
                  <th scope="row">
                    <span className={styles.pool}>
                      <PoolIcon pool={each.pool} size={18} />
                      <span>{t(`header:pools.${each.pool}`)}</span>
                    </span>
                    <div className={styles.login}>
                      <code translate="no">{each.login}</code>
                    </div>
                  </th>
                  <td className={styles.total}>
                    <Link to={`?tab=ledger&account=${each.pool}`}>{traffic(total)}</Link>
                  </td>
                  <td translate="no" className={styles.wide}>
                    {traffic(each.paid_bytes)}
                  </td>
                  <td translate="no" className={styles.wide}>
                    {traffic(each.bonus_bytes)}
                  </td>
                  <td translate="no" className={styles.wide}>
                    {traffic(each.leased_bytes)}
                  </td>
                  <td translate="no" className={styles.wide}>
                    {traffic(each.reserved_bytes)}
                  </td>
                  <td>
                    <Link to="?tab=usage">{traffic(each.used_30_days_bytes)}</Link>
                  </td>
                </tr>
              )
            })}
            <MoneyRow account="referral" sum={usd(customer.referral_micros)}>
              {t('customer.referral')}
            </MoneyRow>
            <MoneyRow account="balance" sum={usd(customer.money_micros)}>
              <span>{t('header:pools.balance')}</span>
              {customer.money_withheld_micros !== '0' && (
                <div>{t('customer.moneyWithheld', { sum: usd(customer.money_withheld_micros) })}</div>
              )}
              {customer.money_owed_micros !== '0' && (
                <div>{t('customer.moneyOwed', { sum: usd(customer.money_owed_micros) })}</div>
              )}
            </MoneyRow>
          </tbody>
        </table>
      </div>
    </Section>
  )
}

interface MoneyRowProps {
  /** The account of the ledger that the sum leads to. */
  account: 'referral' | 'balance'
  sum: string
  children: ReactNode
}

/** A balance in money, which has no traffic beside it. */
function MoneyRow({ account, sum, children }: MoneyRowProps) {
  return (
    <tr>
      <th scope="row">{children}</th>
      <td className={styles.total}>
        <Link to={`?tab=ledger&account=${account}`}>{sum}</Link>
      </td>
      <td className={styles.wide} />
      <td className={styles.wide} />
      <td className={styles.wide} />
      <td className={styles.wide} />
      <td />
    </tr>
  )
}
