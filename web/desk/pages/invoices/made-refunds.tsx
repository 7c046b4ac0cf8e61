import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { refundTones } from '../../subjects/refund-tones.ts'
import styles from './invoice.module.css'

type Made = DeskOutput<'invoice'>['refunds'][number]

/** The refunds of an invoice that the shop made. Staff mark here the refunds that they sent by hand. */
export function MadeRefunds({ refunds }: { refunds: readonly Made[] }) {
  const { t } = useTranslation('deskPages')
  const [act, setAct] = useState<{ made: Made; what: 'send' | 'drop' } | null>(null)
  const close = () => setAct(null)
  if (refunds.length === 0) return null
  return (
    <Section title={t('invoice.refunds')}>
      <ul className={styles.returns}>
        {refunds.map((made) => (
          <li key={made.id}>
            <MadeRefund made={made} onAct={(what) => setAct({ made, what })} />
          </li>
        ))}
      </ul>
      {act?.what === 'send' && <SendDialog made={act.made} onClose={close} />}
      {act?.what === 'drop' && <DropDialog made={act.made} onClose={close} />}
    </Section>
  )
}

function MadeRefund({ made, onAct }: { made: Made; onAct: (what: 'send' | 'drop') => void }) {
  const { t } = useTranslation('deskPages')
  const { amount, traffic } = useFigures()
  const may = useMay()
  const isBooked = made.state !== 'planned' && made.state !== 'dropped'
  return (
    <>
      <span>
        <strong translate="no">{`${amount(made.micros)} ${made.currency}`}</strong>{' '}
        <Badge tone={refundTones[made.state]}>{t(`refund.state.${made.state}`)}</Badge>{' '}
        <span>{t(`refund.by.${made.way}`)}</span>
      </span>
      <span className={styles.quiet}>
        <Moment iso={made.ended_at ?? made.sent_at ?? made.asked_at} />{' '}
        <code translate="no">{made.reference ?? made.id}</code>
      </span>
      {isBooked && made.state !== 'failed' && (
        <span className={styles.quiet}>
          {t('invoice.returns.taken', { taken: traffic(made.taken_back_bytes) })}
        </span>
      )}
      {made.claim_url !== null && made.state === 'sent' && (
        <span className={styles.quiet}>
          <span>{t('refund.claim')}</span> <code translate="no">{made.claim_url}</code>
        </span>
      )}
      {made.state === 'failed' && <span className={styles.quiet}>{t('refund.failedText')}</span>}
      {made.fault !== null && <span className={styles.quiet}>{`${t('refund.fault')}: ${made.fault}`}</span>}
      {hasLess(made) && <LessUnused made={made} />}
      {made.state === 'planned' && may('send_refund') && (
        <span className={styles.acts}>
          <Button size="small" onClick={() => onAct('send')}>
            {t('refund.send.act')}
          </Button>
          <Button size="small" onClick={() => onAct('drop')}>
            {t('refund.drop.act')}
          </Button>
        </span>
      )}
    </>
  )
}

/** Whether traffic was used since the refund of its unused part was planned. */
const hasLess = ({ state, usd_micros: planned, unused_micros: now }: Made) =>
  state === 'planned' && now !== null && BigInt(now) < BigInt(planned)

function LessUnused({ made }: { made: Made }) {
  const { t } = useTranslation('deskPages')
  const { amount } = useFigures()
  return (
    <p className={styles.quiet}>
      {t('refund.lessUnused', { planned: amount(made.usd_micros), now: amount(made.unused_micros ?? '0') })}
    </p>
  )
}

/** Marks a planned refund as sent; only now are its money and traffic deducted. */
function SendDialog({ made, onClose }: { made: Made; onClose: () => void }) {
  const { t } = useTranslation('deskPages')
  const { amount } = useFigures()
  const [reference, setReference] = useState('')
  const { pending, fault, run } = useAct('send_refund', onClose)
  const sum = `${amount(made.micros)} ${made.currency}`
  const noted = reference.trim()
  return (
    <ActDialog
      title={t('refund.send.title', { sum })}
      description={t('refund.send.text')}
      submit={t('refund.send.act')}
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: made.id, reason, ...(noted === '' ? {} : { reference: noted }) })}
    >
      {hasLess(made) && <LessUnused made={made} />}
      <TextField
        label={t('refund.send.reference')}
        value={reference}
        maxLength={200}
        onChange={(event) => setReference(event.target.value)}
      />
    </ActDialog>
  )
}

function DropDialog({ made, onClose }: { made: Made; onClose: () => void }) {
  const { t } = useTranslation('deskPages')
  const { amount } = useFigures()
  const { pending, fault, run } = useAct('drop_refund', onClose)
  const sum = `${amount(made.micros)} ${made.currency}`
  return (
    <ActDialog
      title={t('refund.drop.title', { sum })}
      description={t('refund.drop.text')}
      submit={t('refund.drop.act')}
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: made.id, reason })}
    />
  )
}
