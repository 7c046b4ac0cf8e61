import { useState } from 'react'
import { parseRate, printRate } from '#contract/rates/rates'
import { useTranslation } from '../../../../state/i18n.ts'
import { DecimalField } from '../../../../ui/fields/decimal-field.tsx'
import { TextField } from '../../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../../parts/act-dialog.tsx'
import { useShopDays } from '../../../parts/shop-day.ts'
import { useFigures } from '../../../parts/use-figures.ts'
import { useAct } from '../../../state/use-act.ts'
import styles from './currencies.module.css'
import { type Currency, jumpOf, rateIn } from './rate-form.ts'

/** Enters the rate of a currency by hand. */
export function RateDialog({ currency, onClose }: { currency: Currency; onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'deskCurrencies'])
  const { percent } = useFigures()
  const { dayOf } = useShopDays()
  const [today] = useState(() => dayOf(Date.now()))
  const [text, setText] = useState('')
  const [day, setDay] = useState(today)
  const { pending, fault, run } = useAct('set_rate', onClose)
  const { code, rate: before } = currency
  const rate = rateIn(text)
  const jump = rate === null ? null : jumpOf(rate, before === null ? null : parseRate(before.per_usd))
  const onSubmit = (reason: string) => {
    if (rate === null) return
    run({
      currency: code,
      per_usd: printRate(rate),
      ...(day === today ? {} : { day }),
      ...(reason === '' ? {} : { reason }),
    })
  }
  return (
    <ActDialog
      title={t('deskCurrencies:setOf', { code })}
      description={t('deskCurrencies:setText')}
      submit={t('deskCurrencies:save')}
      reason="optional"
      pending={pending}
      fault={fault}
      ready={rate !== null && day !== ''}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <DecimalField
        label={t('deskCurrencies:rate', { code })}
        value={text}
        placeholder={before?.per_usd ?? ''}
        onType={setText}
        error={text !== '' && rate === null ? t('deskCurrencies:bad') : undefined}
      />
      <TextField
        label={t('deskCurrencies:day')}
        hint={t('deskCurrencies:dayHint')}
        type="date"
        max={today}
        value={day}
        onChange={(event) => setDay(event.target.value)}
      />
      <div role="status">
        {rate !== null && (
          <p className={styles.becomes}>{t('deskCurrencies:becomes', { rate: printRate(rate), code })}</p>
        )}
        {jump !== null && (
          <p className={styles.jump}>
            {t('deskCurrencies:jump', { percent: percent(jump), rate: before?.per_usd ?? '' })}
          </p>
        )}
      </div>
    </ActDialog>
  )
}
