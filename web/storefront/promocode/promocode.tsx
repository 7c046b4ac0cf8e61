import Check from 'lucide-react/icons/circle-check'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { CallError } from '#contract/client'
import type { Output } from '#contract/contract'
import { bytesFromWire } from '#contract/traffic'
import { call } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import { toast } from '../../app/toast.ts'
import { useFormat } from '../../app/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { PoolMark } from '../../ui/pool-mark.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Desk } from '../desk.tsx'
import { faultOf } from './fault.ts'
import styles from './promocode.module.css'

type Credited = Output<'activate_traffic_promocode'>

/** A code that adds bonus traffic. */
export function PromocodePage() {
  const { t } = useTranslation('promocode')
  const [credited, setCredited] = useState<Credited | null>(null)
  return (
    <Desk
      title={t('title')}
      heading={t('heading')}
      back="/account"
      note={
        <p className={styles.note}>
          {t('discountNote')} <Link to="/purchase">{t('toPurchase')}</Link>
        </p>
      }
    >
      {credited === null ? (
        <Form onCredited={setCredited} />
      ) : (
        <Success credited={credited} onAgain={() => setCredited(null)} />
      )}
    </Desk>
  )
}

function Form({ onCredited }: { onCredited: (credited: Credited) => void }) {
  const { t } = useTranslation('promocode')
  const queries = useQueryClient()
  const [code, setCode] = useState('')
  const [error, setError] = useState<string | undefined>()
  const [isPending, setPending] = useState(false)
  const fail = (text: string) => {
    // The notice goes away by itself, so the sentence also stays at the field.
    setError(text)
    toast.error(text)
  }
  const activate = async () => {
    setPending(true)
    try {
      onCredited(await call('activate_traffic_promocode', { code: code.trim() }))
      toast.success(t('success'))
      void queries.invalidateQueries({ queryKey: ['legacy_profile'] })
    } catch (fault) {
      fail(fault instanceof CallError && fault.status === 0 ? fault.message : t(faultOf(fault)))
    } finally {
      setPending(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    if (code.trim() === '') fail(t('enter'))
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
      <Button type="submit" variant="paint" size="large" wide pending={isPending}>
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
        {t('success')}
      </p>
      <p className={styles.credited}>
        <PoolMark pool={credited.pool} size={32} />
        <span>{t('credited', { traffic: traffic(bytesFromWire(credited.traffic)), pool })}</span>
      </p>
      <div className={styles.acts}>
        <Button variant="paint" href="/account?tab=panel">
          {t('toPanel')}
        </Button>
        <Button onClick={onAgain}>{t('again')}</Button>
      </div>
    </div>
  )
}
