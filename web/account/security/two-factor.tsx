import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Output } from '#contract/contract'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useFactorWords } from '../../state/factors/factor-words.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { isPasskeySupported } from '../../ui/factors/passkey.ts'
import { RecoveryCodes } from '../../ui/factors/recovery-codes.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { callProved, useProofFirst } from '../proof/proof.ts'
import { toastFailure } from '../toast-failure.ts'
import { PasskeyDialog } from './passkey-dialog.tsx'
import styles from './protection.module.css'
import { TotpDialog } from './totp-dialog.tsx'

type Overview = Output<'security'>
type Removal = { kind: 'totp' } | { kind: 'passkey'; id: string; name: string }

const refresh = () => void queryClient.invalidateQueries({ queryKey: ['security'] })

/** Second factors: the authenticator app, passkeys, recovery codes. */
export function TwoFactor() {
  const { t } = useTranslation('security')
  const words = useFactorWords()
  const state = useQuery(query('security', {}))
  const [open, setOpen] = useState<'totp' | 'passkey' | 'codes' | null>(null)
  const [removal, setRemoval] = useState<Removal | null>(null)
  const [codes, setCodes] = useState<readonly string[]>([])
  const proofFirst = useProofFirst()
  const ask = async (show: () => void) => {
    if (await proofFirst(true)) show()
  }
  const onAdded = (made: readonly string[]) => {
    setOpen(null)
    setCodes(made)
    refresh()
    toast.success(t('factor.added'))
  }
  return (
    <section aria-labelledby="two-factor">
      <h2 id="two-factor" className={styles.heading}>
        {t('factor.title')}
      </h2>
      <p className={styles.lead}>{t('factor.text')}</p>
      <Card>
        {state.data === undefined ? (
          <Waiting isError={state.isError} onRetry={() => void state.refetch()} />
        ) : (
          <FactorRows
            data={state.data}
            onOpen={(what) => void ask(() => setOpen(what))}
            onRemove={(what) => void ask(() => setRemoval(what))}
          />
        )}
      </Card>
      {open === 'totp' && <TotpDialog onAdded={onAdded} onClose={() => setOpen(null)} />}
      {open === 'passkey' && <PasskeyDialog onAdded={onAdded} onClose={() => setOpen(null)} />}
      {open === 'codes' && <RenewDialog onRenewed={onAdded} onClose={() => setOpen(null)} />}
      {removal !== null && (
        <RemoveDialog
          removal={removal}
          isLast={state.data !== undefined && countOf(state.data) === 1}
          onClose={() => setRemoval(null)}
        />
      )}
      {codes.length > 0 && (
        <Dialog
          open
          compact
          onClose={() => setCodes([])}
          title={t('factor.codesTitle')}
          closeLabel={t('close')}
          footer={
            <Button variant="primary" onClick={() => setCodes([])}>
              {t('factor.codesSaved')}
            </Button>
          }
        >
          <RecoveryCodes words={words} codes={codes} fileName="recovery-codes.txt" />
        </Dialog>
      )}
    </section>
  )
}

const countOf = ({ totp, passkeys }: Overview) => passkeys.length + (totp === null ? 0 : 1)

/** Shown while the read is pending, and when it has failed. */
export function Waiting({ isError, onRetry }: { isError: boolean; onRetry: () => void }) {
  const { t } = useTranslation('security')
  if (!isError) return <Skeleton characters={28} />
  return (
    <div className={styles.row} role="alert">
      <p>{t('notLoaded')}</p>
      <Button size="small" onClick={onRetry}>
        {t('retry')}
      </Button>
    </div>
  )
}

interface FactorRowsProps {
  data: Overview
  onOpen: (what: 'totp' | 'passkey' | 'codes') => void
  onRemove: (removal: Removal) => void
}

function FactorRows({ data, onOpen, onRemove }: FactorRowsProps) {
  const { t } = useTranslation('security')
  const isView = useView() !== null
  const isOn = data.factors.length > 0
  const { totp, passkeys, recovery_codes_left: left } = data
  return (
    <ul className={styles.rows}>
      <Row
        name={t('factor.totp')}
        badge={totp === null ? null : t('on')}
        about={totp === null ? t('factor.totpText') : <Used created={totp.created_at} used={totp.used_at} />}
      >
        {!isView && (
          <Button size="small" onClick={() => (totp === null ? onOpen('totp') : onRemove({ kind: 'totp' }))}>
            {t(totp === null ? 'factor.setUp' : 'remove')}
          </Button>
        )}
      </Row>
      {passkeys.map(({ id, name, created_at: created, used_at: used, backed_up: isSynced }) => (
        <Row
          key={id}
          name={name}
          badge={t(isSynced ? 'factor.synced' : 'factor.passkey')}
          about={<Used created={created} used={used} />}
        >
          {!isView && (
            <Button
              size="small"
              aria-label={t('factor.removeNamed', { name })}
              onClick={() => onRemove({ kind: 'passkey', id, name })}
            >
              {t('remove')}
            </Button>
          )}
        </Row>
      ))}
      <Row name={t('factor.newPasskey')} about={t('factor.passkeyText')}>
        {!isView && isPasskeySupported() && (
          <Button size="small" onClick={() => onOpen('passkey')}>
            {t('add')}
          </Button>
        )}
      </Row>
      {isOn && (
        <Row
          name={t('factor.codes')}
          about={t('factor.codesLeft', { count: left })}
          warning={left < 3 ? t('factor.fewCodes') : null}
        >
          {!isView && (
            <Button size="small" onClick={() => onOpen('codes')}>
              {t('factor.newCodes')}
            </Button>
          )}
        </Row>
      )}
    </ul>
  )
}

interface RowProps {
  name: string
  badge?: string | null
  about: ReactNode
  warning?: string | null
  children?: ReactNode
}

/** A line of a card: its name, its state, and its button. */
export function Row({ name, badge = null, about, warning = null, children }: RowProps) {
  return (
    <li className={styles.row}>
      <div className={styles.about}>
        <span className={styles.name}>
          <span>{name}</span>
          {badge !== null && <span className={classNames(styles.badge, styles.on)}>{badge}</span>}
        </span>
        <span className={styles.quiet}>{about}</span>
        {warning !== null && <span className={styles.warning}>{warning}</span>}
      </div>
      {children}
    </li>
  )
}

function Used({ created, used }: { created: string; used: string | null }) {
  const { t } = useTranslation('security')
  const language = useLanguage()
  const added = t('addedAt', { date: formatDateTime(created, language) })
  const text = used === null ? added : `${added}. ${t('usedAt', { date: formatDateTime(used, language) })}`
  return <span>{text}</span>
}

interface RenewDialogProps {
  onRenewed: (codes: readonly string[]) => void
  onClose: () => void
}

function RenewDialog({ onRenewed, onClose }: RenewDialogProps) {
  const { t } = useTranslation('security')
  const { mutate, isPending } = useMutation({
    mutationFn: () => callProved('new_recovery_codes', {}),
    onSuccess: (made) => onRenewed(made.recovery_codes),
    onError: (error) => toastFailure(error, t('failed')),
  })
  return (
    <ConfirmDialog
      title={t('factor.renewTitle')}
      consequences={[t('factor.renewText')]}
      confirmLabel={t('factor.newCodes')}
      pending={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}

interface RemoveDialogProps {
  removal: Removal
  /** Two-factor authentication is off afterwards. */
  isLast: boolean
  onClose: () => void
}

function RemoveDialog({ removal, isLast, onClose }: RemoveDialogProps) {
  const { t } = useTranslation('security')
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      removal.kind === 'totp'
        ? callProved('remove_totp', {})
        : callProved('remove_passkey', { id: removal.id }),
    onSuccess: () => {
      refresh()
      onClose()
      toast.success(t('factor.removed'))
    },
    onError: (error) => toastFailure(error, t('failed')),
  })
  const what = removal.kind === 'totp' ? t('factor.totp') : removal.name
  return (
    <ConfirmDialog
      title={t('factor.removeTitle', { name: what })}
      consequences={[t('factor.removeText'), ...(isLast ? [t('factor.removeLast')] : [])]}
      confirmLabel={t('remove')}
      pending={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
