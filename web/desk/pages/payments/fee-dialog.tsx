import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { percentText, usdText } from '../../parts/amounts.ts'
import { Moment } from '../../parts/moment.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useAct } from '../../state/use-act.ts'
import { useMethodName } from '../../subjects/method-name.ts'
import { feeTermsOf, readFee } from './fee-terms.ts'
import styles from './payments.module.css'

type Processor = DeskOutput<'processors'>[number]

/** Returns a function that writes a fee: «2.9 % + $0.30». */
export function useFeeText() {
  const { percent, usd } = useFigures()
  return (terms: Processor['fee_terms'][number]) =>
    terms.fixed_micros === '0'
      ? percent(terms.percent_ppm / 1e6)
      : `${percent(terms.percent_ppm / 1e6)} + ${usd(terms.fixed_micros)}`
}

/** Sets the fee of a processor for each payment from now on. */
export function FeeDialog({ processor, onClose }: { processor: Processor; onClose: () => void }) {
  const { t } = useTranslation('deskMoney')
  const methodName = useMethodName()
  const feeText = useFeeText()
  const { method, fee_terms: earlier } = processor
  const [last] = earlier
  const [percent, setPercent] = useState(last === undefined ? '' : percentText(last.percent_ppm))
  const [fixed, setFixed] = useState(last === undefined ? '' : usdText(BigInt(last.fixed_micros)))
  const { pending, fault, run } = useAct('set_fee_terms', onClose)
  const { ppm, micros } = readFee(percent, fixed)
  const terms = feeTermsOf(percent, fixed)
  return (
    <ActDialog
      title={t('fees.of', { method: methodName(method) })}
      description={t('fees.text')}
      submit={t('fees.save')}
      pending={pending}
      fault={fault}
      ready={terms !== null}
      onClose={onClose}
      onSubmit={(reason) => terms !== null && run({ method, ...terms, reason })}
    >
      <DecimalField
        label={t('fees.percent')}
        value={percent}
        onType={setPercent}
        error={ppm === null ? t('fees.bad') : undefined}
      />
      <DecimalField
        label={t('fees.fixed')}
        value={fixed}
        onType={setFixed}
        error={micros === null ? t('fees.bad') : undefined}
      />
      {earlier.length > 0 && (
        <ul className={styles.verdicts} aria-label={t('fees.earlier')}>
          {earlier.slice(0, 5).map((was) => (
            <li key={`${was.from} ${was.set_at}`} className={styles.note}>
              <span>{t('fees.was', { fee: feeText(was), by: was.set_by })}</span> <Moment iso={was.from} />
            </li>
          ))}
        </ul>
      )}
    </ActDialog>
  )
}
