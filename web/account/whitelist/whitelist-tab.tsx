import Locate from 'lucide-react/icons/locate-fixed'
import { type FormEvent, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { CallError } from '#contract/client'
import { canonicalIpv4 } from '#contract/ipv4'
import type { Pool } from '#contract/wire'
import { useTranslation } from '../../state/i18n.ts'
import { logError } from '../../state/log.ts'
import type { Session } from '../../state/session.ts'
import { useMay, useRoleAllows } from '../../state/team/team.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { PoolPicker, usePoolInAddress } from '../pool-picker.tsx'
import { balanceOf } from '../profile.ts'
import { AddressList } from './address-list.tsx'
import { HowToProve } from './how-to-prove.tsx'
import { LostList } from './lost-list.tsx'
import { ownAddress } from './own-address.ts'
import { useWhitelist } from './use-whitelist.ts'
import styles from './whitelist-tab.module.css'

/** The addresses from which lines without a password work, by pool. */
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
  const mayChange = useMay('add_ip_to_whitelist')
  const mayBuy = useRoleAllows('create_invoice_web')
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
        {list.state === 'loading' && <ListSkeleton />}
        {list.state === 'failed' && (
          <div className={styles.message} role="status">
            <p>{t('whitelist.failed')}</p>
            <Button onClick={list.retry}>{t('whitelist.retry')}</Button>
          </div>
        )}
        {list.state === 'ready' && list.rows.length === 0 && (
          <div className={styles.message}>
            <p className={styles.emptyTitle}>{t('whitelist.empty')}</p>
            {(mayChange || !hasAccess) && (
              <p>{t(hasAccess ? 'whitelist.emptyText' : 'whitelist.noPoolAccess')}</p>
            )}
            {!hasAccess && mayBuy && <Button href={`/purchase?pool=${pool}`}>{t('pool.buy')}</Button>}
          </div>
        )}
        {list.rows.length > 0 && (
          <AddressList
            rows={list.rows}
            waiting={list.waiting}
            onRemove={mayChange ? list.remove : null}
            onRestore={list.restore}
            onGone={() => heading.current?.focus()}
          />
        )}
        {list.lost.length > 0 && <LostList lost={list.lost} onForget={mayChange ? list.forget : null} />}
      </Card>
      {mayChange && (
        <Card as="section" aria-labelledby="whitelist-add">
          <h2 id="whitelist-add" className={styles.heading}>
            {t('whitelist.addTitle')}
          </h2>
          <AddForm hasAccess={hasAccess} list={list} />
          <p className={styles.explanation}>{t('whitelist.explain')}</p>
        </Card>
      )}
      {mayChange && list.waiting.size > 0 && <HowToProve pool={pool} />}
    </div>
  )
}

interface AddFormProps {
  hasAccess: boolean
  list: ReturnType<typeof useWhitelist>
}

function AddForm({ hasAccess, list }: AddFormProps) {
  const { t } = useTranslation('userPanel')
  const [search] = useSearchParams()
  // The address of a refused request, which its repair carries here.
  const [typed, setTyped] = useState(() => canonicalIpv4(search.get('ip') ?? '') ?? '')
  const [error, setError] = useState<string | undefined>()
  const [waitsFor, setWaitsFor] = useState<'list' | 'own address' | undefined>()

  const reject = (text: string) => {
    setError(text)
    toast.error(text)
  }
  const add = async (address: string, isOwn = false) => {
    const ip = canonicalIpv4(address)
    if (ip === null) return reject(t('whitelist.invalidIP'))
    if (!hasAccess) return reject(t('whitelist.noPoolAccess'))
    await list.settle()
    const { ips, waiting } = list.known()
    // An unproven address is proven by adding it again from there.
    const isProof = isOwn && waiting.has(ip)
    if (ips.includes(ip) && !isProof) return reject(t('whitelist.known', { ip }))
    setError(undefined)
    list.add.mutate(ip, {
      onSuccess: () => setTyped(''),
      onError: (failure) =>
        setError(failure instanceof CallError ? failure.message : t('whitelist.addFailed')),
    })
  }
  const addOwn = async () => {
    setWaitsFor('own address')
    try {
      const own = await ownAddress()
      if (own === null) reject(t('whitelist.ownIsIpv6'))
      else await add(own, true)
    } catch (failure) {
      logError('the own address could not be determined', failure)
      reject(t('whitelist.ownFailed'))
    } finally {
      setWaitsFor(undefined)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (list.add.isPending || waitsFor !== undefined || typed.trim() === '') return
    setWaitsFor('list')
    void add(typed.trim()).finally(() => setWaitsFor(undefined))
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        label={t('whitelist.address')}
        placeholder="8.8.8.8"
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
        variant="primary"
        wide
        disabled={typed.trim() === ''}
        pending={waitsFor === 'list' || (list.add.isPending && waitsFor === undefined)}
      >
        {t('whitelist.add')}
      </Button>
      <Button
        wide
        icon={<Locate size={18} aria-hidden="true" />}
        pending={waitsFor === 'own address'}
        onClick={() => void addOwn()}
      >
        {t('whitelist.addOwn')}
      </Button>
    </form>
  )
}

function ListSkeleton() {
  return (
    <div className={styles.skeleton} aria-hidden="true">
      {[16, 14, 15].map((characters) => (
        <Skeleton key={characters} characters={characters} />
      ))}
    </div>
  )
}
