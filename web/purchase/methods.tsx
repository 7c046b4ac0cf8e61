import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId } from 'react'
import { call } from '../app/api.ts'
import { useTranslation } from '../app/i18n.ts'
import { useLanguage } from '../app/language.ts'
import { useFormat } from '../app/use-format.ts'
import { Button } from '../ui/button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Description } from './description.tsx'
import styles from './methods.module.css'

const named = ['sandbox', 'card', 'yookassa', 'cryptobot', 'crypto'] as const

/** The method that is no processor: what the customer has earned by inviting others. */
export const referralMethod = 'referral'

interface MethodsProps {
  value: string | null
  onChange: (method: string) => void
  error: string | null
  /** The referral balance, and what the purchase costs (null: not known yet), in USD. */
  balanceUsd: number
  costUsd: number | null
}

/** The ways to pay, as cards. The only processor there is is chosen already. */
export function Methods({ value, onChange, error, balanceUsd, costUsd }: MethodsProps) {
  const { t } = useTranslation('purchase')
  const language = useLanguage()
  const group = useId()
  // The descriptions come in the language of the page.
  const { data, isError, refetch } = useQuery({
    queryKey: ['payment_systems', {}, language],
    queryFn: ({ signal }) => call('payment_systems', {}, { signal }),
  })
  const only = data?.length === 1 ? data[0]?.name : undefined
  useEffect(() => {
    if (only !== undefined && value === null) onChange(only)
  }, [only, value, onChange])
  const method = (name: string, title: string, words: ReactNode) => (
    <label key={name} className={styles.method}>
      <input
        type="radio"
        name={group}
        className={styles.input}
        checked={name === value}
        onChange={() => onChange(name)}
      />
      <span className={styles.dot} aria-hidden="true" />
      <span className={styles.words}>
        <span className={styles.name}>{title}</span>
        {words}
      </span>
    </label>
  )
  return (
    <fieldset className={styles.methods} aria-describedby={error === null ? undefined : `${group}-error`}>
      <legend className="sr-only">{t('method')}</legend>
      {data?.map(({ name, description }) => {
        const known = named.find((each) => each === name)
        const title = known === undefined ? name : t(`methods.${known}`)
        return method(name, title, <Description html={description} />)
      })}
      {data === undefined && !isError && (
        <div className={styles.method} aria-hidden="true">
          <Skeleton characters={18} />
        </div>
      )}
      {data === undefined && isError && (
        <div className={styles.message} role="status">
          <p>{t('methodsFailed')}</p>
          <Button onClick={() => void refetch()}>{t('retry')}</Button>
        </div>
      )}
      {data?.length === 0 && <p className={styles.message}>{t('noMethods')}</p>}
      {method(
        referralMethod,
        t('methods.referral'),
        <ReferralBalance balanceUsd={balanceUsd} costUsd={costUsd} />,
      )}
      {error !== null && (
        <p id={`${group}-error`} className={styles.error}>
          {error}
        </p>
      )}
    </fieldset>
  )
}

function ReferralBalance({ balanceUsd, costUsd }: { balanceUsd: number; costUsd: number | null }) {
  const { t } = useTranslation('purchase')
  const { usd } = useFormat()
  const missing = costUsd === null ? 0 : costUsd - balanceUsd
  return (
    <span className={styles.description}>
      {t('referralBalance', { balance: usd(balanceUsd) })}
      {missing > 0 && (
        <span className={styles.missing}>{t('referralMissing', { missing: usd(missing) })}</span>
      )}
    </span>
  )
}
