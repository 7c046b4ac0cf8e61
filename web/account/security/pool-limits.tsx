import { useMutation, useQuery } from '@tanstack/react-query'
import ChevronDown from 'lucide-react/icons/chevron-down'
import { type FormEvent, useState } from 'react'
import { CallError } from '#contract/client'
import type { Pool } from '#contract/wire'
import { call, query, queryClient } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import { toast } from '../../app/toast.ts'
import { useFormat } from '../../app/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { changesOf, formOf, type Limits, type LimitsFault, type LimitsForm } from './limits.ts'
import styles from './pool-limits.module.css'

/** What the password of a pool may do: caps, hosts, the data saver. */
export function PoolLimits({ pool }: { pool: Pool }) {
  const limits = useQuery(query('get_pool_limits', { pool }))
  if (limits.data === undefined) return null
  return <LimitsCard key={pool} limits={limits.data} />
}

function LimitsCard({ limits }: { limits: Limits }) {
  const { t } = useTranslation('userPanel')
  const { traffic } = useFormat()
  const [form, setForm] = useState(() => formOf(limits))
  const [fault, setFault] = useState<LimitsFault | null>(null)
  const save = useMutation({
    mutationFn: (changes: Parameters<typeof call<'set_pool_limits'>>[1]) => call('set_pool_limits', changes),
    onSuccess(saved) {
      queryClient.setQueryData(query('get_pool_limits', { pool: limits.pool }).queryKey, saved)
      setForm(formOf(saved))
      toast.success(t('limits.saved'))
    },
    onError(error) {
      if (error instanceof CallError && error.status === 401) return
      toast.error(error instanceof CallError ? error.message : t('limits.failed'))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const changes = changesOf(limits.pool, form)
    setFault(typeof changes === 'string' ? changes : null)
    if (typeof changes !== 'string') save.mutate(changes)
  }
  const field = (name: Exclude<keyof LimitsForm, 'saver'>, label: string) => ({
    label,
    value: form[name],
    error: fault === name ? t('limits.number') : undefined,
    autoComplete: 'off',
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  })
  const { used } = limits
  const usedText = (bytes: number) => t('limits.used', { traffic: traffic(BigInt(bytes)) })
  const figure = { inputMode: 'decimal', mono: true } as const
  return (
    <Card>
      <details>
        <summary className={styles.summary}>
          {t('limits.title')}
          <ChevronDown className={styles.chevron} size={22} aria-hidden="true" />
        </summary>
        <form className={styles.form} onSubmit={submit} noValidate>
          <p className={styles.explain}>{t('limits.text')}</p>
          <div className={styles.numbers}>
            <TextField {...field('hour', t('limits.hour'))} {...figure} hint={usedText(used.hour_bytes)} />
            <TextField {...field('day', t('limits.day'))} {...figure} hint={usedText(used.day_bytes)} />
            <TextField {...field('month', t('limits.month'))} {...figure} hint={usedText(used.month_bytes)} />
            <TextField
              {...field('connections', t('limits.connections'))}
              {...figure}
              hint={t('limits.empty')}
            />
          </div>
          <TextField {...field('denied', t('limits.denied'))} hint={t('limits.hosts')} />
          <TextField {...field('allowed', t('limits.allowed'))} hint={t('limits.allowedHint')} />
          <label className={styles.saver}>
            <input
              type="checkbox"
              checked={form.saver}
              onChange={(event) => setForm({ ...form, saver: event.target.checked })}
            />
            {t('limits.saver')}
          </label>
          <div>
            <Button type="submit" pending={save.isPending}>
              {t('limits.save')}
            </Button>
          </div>
        </form>
      </details>
    </Card>
  )
}
