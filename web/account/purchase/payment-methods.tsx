import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId } from 'react'
import { balanceMethod, methodTitle, referralMethod } from '#contract/invoices'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { MethodDescription } from '../../ui/site/method-description.tsx'
import styles from './payment-methods.module.css'
import { methodsQuery } from './methods-query.ts'

interface PaymentMethodsProps {
  value: string | null
  onChange: (method: string) => void
  /** Called with the only method, and with null where the chosen one is not on offer. */
  onDefault: (method: string | null) => void
  error: string | null
  /** The referral balance, the money balance, and the cost of the order (null while unknown), in USD. */
  balanceUsd: number
  moneyUsd: number
  costUsd: number | null
}

/** The payment methods as cards. A single processor is chosen by default. */
export function PaymentMethods(props: PaymentMethodsProps) {
  const { value, onChange, onDefault, error, balanceUsd, moneyUsd, costUsd } = props
  const { t } = useTranslation('purchase')
  const language = useLanguage()
  const { usd } = useFormat()
  const group = useId()
  const { data, isError, refetch } = useQuery(methodsQuery(language))
  const usable = data?.filter(({ unavailable }) => unavailable === undefined)
  const single = usable?.length === 1 ? usable[0]?.name : undefined
  // The address may name one that is not on offer, or not now.
  const isGone =
    usable !== undefined &&
    value !== null &&
    value !== referralMethod &&
    value !== balanceMethod &&
    !usable.some(({ name }) => name === value)
  useEffect(() => {
    if (isGone) onDefault(null)
    else if (single !== undefined && value === null) onDefault(single)
  }, [isGone, single, value, onDefault])
  const option = (name: string, title: string, details: ReactNode, isClosed = false) => (
    <label key={name} className={classNames(styles.method, isClosed && styles.closed)}>
      <input
        type="radio"
        name={group}
        className={styles.input}
        checked={name === value}
        disabled={isClosed}
        onChange={() => onChange(name)}
      />
      <span className={styles.dot} aria-hidden="true" />
      <span className={styles.details}>
        <span className={styles.name}>{title}</span>
        {details}
      </span>
    </label>
  )
  return (
    <fieldset className={styles.methods} aria-describedby={error === null ? undefined : `${group}-error`}>
      <legend className="sr-only">{t('method')}</legend>
      {data?.map(({ name, title, description, unavailable, least_usd: least = 0 }) => {
        // The chosen one stays: the field of the amount says what is missing.
        const isBelow = name !== value && costUsd !== null && costUsd > 0 && costUsd < least
        const obstacle = unavailable ?? (isBelow ? t('methodLeast', { least: usd(least) }) : undefined)
        const details =
          obstacle === undefined ? (
            <MethodDescription html={description} />
          ) : (
            <span className={styles.description}>{obstacle}</span>
          )
        return option(name, title ?? methodTitle(name, language), details, obstacle !== undefined)
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
      {option(
        referralMethod,
        methodTitle(referralMethod, language),
        <Balance balanceUsd={balanceUsd} costUsd={costUsd} />,
      )}
      {(moneyUsd > 0 || value === balanceMethod) &&
        option(
          balanceMethod,
          methodTitle(balanceMethod, language),
          <Balance balanceUsd={moneyUsd} costUsd={costUsd} />,
        )}
      {error !== null && (
        <p id={`${group}-error`} className={styles.error}>
          {error}
        </p>
      )}
    </fieldset>
  )
}

function Balance({ balanceUsd, costUsd }: { balanceUsd: number; costUsd: number | null }) {
  const { t } = useTranslation('purchase')
  const { usd } = useFormat()
  const missing = costUsd === null ? 0 : costUsd - balanceUsd
  return (
    <span className={styles.description}>
      <span>{t('referralBalance', { balance: usd(balanceUsd) })}</span>
      {missing > 0 && (
        <span className={styles.missing}>{t('referralMissing', { missing: usd(missing) })}</span>
      )}
    </span>
  )
}
