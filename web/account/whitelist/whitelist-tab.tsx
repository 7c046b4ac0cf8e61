import Locate from 'lucide-react/icons/locate-fixed'
import { type FormEvent, useRef, useState } from 'react'
import { CallError } from '#contract/client'
import type { Pool } from '#contract/wire'
import { useTranslation } from '../../app/i18n.ts'
import { logFault } from '../../app/log.ts'
import type { Session } from '../../app/session.ts'
import { toast } from '../../app/toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { PoolPicker, usePoolInAddress } from '../pool-in-use.tsx'
import { balanceOf } from '../profile.ts'
import { AddressList } from './address-list.tsx'
import { isIpv4, plainIpv4 } from './address.ts'
import { HowToProve } from './how-to-prove.tsx'
import { LostList } from './lost-list.tsx'
import { ownAddress } from './own-address.ts'
import { useWhitelist } from './use-whitelist.ts'
import styles from './whitelist-tab.module.css'

/** Addresses from which lines without a password work: a list for each pool. */
export function WhitelistTab({ user }: { user: Session }) {
  const { pool, choose } = usePoolInAddress(user)
  const hasAccess = balanceOf(user, pool) > 0n
  return (
    <div className={styles.whitelist}>
      <PoolPicker user={user} value={pool} onChange={choose} />
      <Whitelist key={pool} pool={pool} hasAccess={hasAccess} />
    </div>
  )
}

function Whitelist({ pool, hasAccess }: { pool: Pool; hasAccess: boolean }) {
  const { t } = useTranslation('userPanel')
  const list = useWhitelist(pool)
  const heading = useRef<HTMLHeadingElement>(null)
  const count = list.rows.filter((row) => !row.removed).length
  return (
    <div className={styles.columns}>
      <Card as="section" padding="none" aria-labelledby="whitelist-heading">
        <div className={styles.head}>
          <h2 ref={heading} id="whitelist-heading" tabIndex={-1} className={styles.heading}>
            {t('whitelist.list')}
          </h2>
          {list.state === 'ready' && <span className={styles.count}>{t('whitelist.count', { count })}</span>}
        </div>
        {list.state === 'loading' && <Waiting />}
        {list.state === 'failed' && (
          <div className={styles.message} role="status">
            <p>{t('whitelist.failed')}</p>
            <Button onClick={list.retry}>{t('whitelist.retry')}</Button>
          </div>
        )}
        {list.state === 'ready' && list.rows.length === 0 && (
          <div className={styles.message}>
            <p className={styles.emptyTitle}>{t('whitelist.empty')}</p>
            <p>{t(hasAccess ? 'whitelist.emptyText' : 'whitelist.noPoolAccess')}</p>
            {!hasAccess && <Button href={`/purchase?pool=${pool}`}>{t('pool.buy')}</Button>}
          </div>
        )}
        {list.rows.length > 0 && (
          <AddressList
            rows={list.rows}
            waiting={list.waiting}
            onRemove={list.remove}
            onRestore={list.restore}
            onGone={() => heading.current?.focus()}
          />
        )}
        {list.lost.length > 0 && <LostList lost={list.lost} onForget={list.forget} />}
      </Card>
      <Card as="section" aria-labelledby="whitelist-add">
        <h2 id="whitelist-add" className={styles.heading}>
          {t('whitelist.addTitle')}
        </h2>
        <AddForm hasAccess={hasAccess} list={list} />
        <p className={styles.explain}>{t('whitelist.explain')}</p>
      </Card>
      {list.waiting.size > 0 && <HowToProve pool={pool} />}
    </div>
  )
}

interface AddFormProps {
  hasAccess: boolean
  list: ReturnType<typeof useWhitelist>
}

function AddForm({ hasAccess, list }: AddFormProps) {
  const { t } = useTranslation('userPanel')
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string | undefined>()
  const [looking, setLooking] = useState(false)
  const busy = list.add.isPending || list.state === 'loading'

  const refuse = (text: string) => {
    setError(text)
    toast.error(text)
  }
  const add = (address: string, isOwn = false) => {
    if (!isIpv4(address)) return refuse(t('whitelist.invalidIP'))
    if (!hasAccess) return refuse(t('whitelist.noPoolAccess'))
    const ip = plainIpv4(address)
    const isListed = list.rows.some((row) => row.ip === ip && !row.removed)
    // One that waits for a proof is proven by adding it again from there.
    const isProof = isOwn && list.waiting.has(ip)
    if (isListed && !isProof) return refuse(t('whitelist.known', { ip }))
    setError(undefined)
    list.add.mutate(ip, {
      onSuccess: () => setTyped(''),
      onError: (fault) => setError(fault instanceof CallError ? fault.message : t('whitelist.addFailed')),
    })
  }
  const addOwn = async () => {
    setLooking(true)
    try {
      const own = await ownAddress()
      if (own === null) refuse(t('whitelist.ownIsIpv6'))
      else add(own, true)
    } catch (fault) {
      logFault('the own address was not found out', fault)
      refuse(t('whitelist.ownFailed'))
    } finally {
      setLooking(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy && typed.trim() !== '') add(typed.trim())
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        label={t('whitelist.address')}
        placeholder="203.0.113.7"
        mono
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        maxLength={64}
        value={typed}
        error={error}
        onChange={(event) => {
          setTyped(event.target.value)
          setError(undefined)
        }}
      />
      <Button
        type="submit"
        variant="paint"
        wide
        disabled={typed.trim() === '' || list.state === 'loading'}
        pending={list.add.isPending && !looking}
      >
        {t('whitelist.add')}
      </Button>
      <Button
        wide
        icon={<Locate size={18} aria-hidden="true" />}
        pending={looking}
        disabled={list.state === 'loading'}
        onClick={() => void addOwn()}
      >
        {t('whitelist.addOwn')}
      </Button>
    </form>
  )
}

function Waiting() {
  return (
    <div className={styles.waiting} aria-hidden="true">
      {[16, 14, 15].map((characters) => (
        <Skeleton key={characters} characters={characters} />
      ))}
    </div>
  )
}
