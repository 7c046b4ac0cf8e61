import Check from 'lucide-react/icons/circle-check'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { CallError } from '#contract/client'
import type { Output } from '#contract/contract'
import { bytesFromWire } from '#contract/traffic'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useOrderKeys } from '../../state/orders/order-keys.ts'
import { toast } from '../../state/toast.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { CardPage } from '../card-page.tsx'
import { promocodeErrorOf } from './promocode-error.ts'
import styles from './promocode.module.css'

type Credited = Output<'activate_traffic_promocode'>

/** Activates a code for bonus traffic. */
export function PromocodePage() {
  const { t } = useTranslation('promocode')
  const [credited, setCredited] = useState<Credited | null>(null)
  return (
    <CardPage
      title={t('title')}
      heading={t('heading')}
      back="/account"
      note={
        <p className={styles.note}>
          <span>{t('discountNote')}</span> <Link to="/purchase">{t('toPurchase')}</Link>
        </p>
      }
    >
      {credited === null ? (
        <Form onCredited={setCredited} />
      ) : (
        <Success credited={credited} onAgain={() => setCredited(null)} />
      )}
    </CardPage>
  )
}

function Form({ onCredited }: { onCredited: (credited: Credited) => void }) {
  const { t } = useTranslation('promocode')
  const queries = useQueryClient()
  const [code, setCode] = useState('')
  const [error, setError] = useState<string | undefined>()
  const [isPending, setPending] = useState(false)
  // A retry after a lost response has the same key: the server confirms the credit again.
  const keys = useOrderKeys()
  const showError = (text: string) => {
    // The notification disappears, so the field shows the text too.
    setError(text)
    toast.error(text)
  }
  const activate = async () => {
    setPending(true)
    try {
      const order = { code: code.trim() }
      const options = { idempotencyKey: keys.keyOf(order) }
      onCredited(await call('activate_traffic_promocode', order, options))
      keys.done(order)
      toast.success(t('success'))
      void queries.invalidateQueries({ queryKey: ['legacy_profile'] })
    } catch (failure) {
      const isOffline = failure instanceof CallError && failure.status === 0
      showError(isOffline ? failure.message : t(promocodeErrorOf(failure)))
    } finally {
      setPending(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    if (code.trim() === '') showError(t('enter'))
    else void activate()
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <p className={styles.lead}>{t('lead')}</p>
      <TextField
        label={t('code')}
        value={code}
        error={error}
        mono
        autoFocus
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={64}
        onChange={(event) => {
          setCode(event.target.value)
          setError(undefined)
        }}
      />
      <Button type="submit" variant="primary" size="large" wide pending={isPending}>
        {t('submit')}
      </Button>
    </form>
  )
}

function Success({ credited, onAgain }: { credited: Credited; onAgain: () => void }) {
  const { t } = useTranslation(['promocode', 'header'])
  const { traffic } = useFormat()
  const pool = t(`header:pools.${credited.pool}`)
  return (
    <div className={styles.success} role="status">
      <p className={styles.done}>
        <Check size={22} aria-hidden="true" />
        <span>{t('success')}</span>
      </p>
      <p className={styles.credited}>
        <PoolIcon pool={credited.pool} size={32} />
        <span>{t('credited', { traffic: traffic(bytesFromWire(credited.traffic)), pool })}</span>
      </p>
      <div className={styles.actions}>
        <Button variant="primary" href="/account?tab=panel">
          {t('toPanel')}
        </Button>
        <Button onClick={onAgain}>{t('again')}</Button>
      </div>
    </div>
  )
}
