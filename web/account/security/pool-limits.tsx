import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { CallError } from '#contract/client'
import type { Input } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { call } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useMay } from '../../state/team/team.ts'
import { toast } from '../../state/toast.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { ReadFailedCard } from '../read-failed.tsx'
import { refusedField } from '../refused-field.ts'
import { toastFailure } from '../toast-failure.ts'
import { type Limits, type LimitsError, type LimitsForm, toForm, toInput } from './limits.ts'
import styles from './pool-limits.module.css'

/**
 * The limits of the proxy password of a pool: traffic caps, connections, hosts, the data saver. `?limits=day`
 * opens them at that field: what repairs a refused request leads there.
 */
export function PoolLimits({ pool }: { pool: Pool }) {
  const { t } = useTranslation('userPanel')
  const limits = useQuery(query('get_pool_limits', { pool }))
  if (limits.data === undefined)
    return limits.isError ? <ReadFailedCard what={t('limits.title')} read={limits} /> : null
  return <LimitsCard key={pool} limits={limits.data} />
}

function LimitsCard({ limits }: { limits: Limits }) {
  const { t } = useTranslation('userPanel')
  const { traffic } = useFormat()
  const language = useLanguage()
  const [form, setForm] = useState(() => toForm(limits, language))
  const [search] = useSearchParams()
  const asked = search.get('limits')
  const mayChange = useMay('set_pool_limits')
  const [invalidField, setInvalidField] = useState<LimitsError | null>(null)
  const save = useMutation({
    mutationFn: (input: Input<'set_pool_limits'>) => call('set_pool_limits', input),
    onSuccess(saved) {
      queryClient.setQueryData(query('get_pool_limits', { pool: limits.pool }).queryKey, saved)
      setForm(toForm(saved, language))
      toast.success(t('limits.saved'))
    },
    onError: (error) => toastFailure(error, t('limits.failed')),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const input = toInput(limits.pool, form)
    setInvalidField(typeof input === 'string' ? input : null)
    if (typeof input !== 'string') save.mutate(input)
  }
  // The refused host shows which of the two lists is meant.
  const refused = (name: string) => {
    const refusal = refusedField(save.error, { invalid_host_pattern: 'hosts' })
    if (refusal === null || (name !== 'denied' && name !== 'allowed')) return undefined
    const host = save.error instanceof CallError ? String(save.error.details['host']) : ''
    return form[name].includes(host) ? refusal.text : undefined
  }
  const field = (name: Exclude<keyof LimitsForm, 'saver'>, label: string) => ({
    label,
    value: form[name],
    error: invalidField === name ? t('limits.number') : refused(name),
    disabled: !mayChange,
    autoComplete: 'off',
    autoFocus: asked === name,
    'data-wants-focus': asked === name || undefined,
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  })
  const { used } = limits
  const usedText = (bytes: number) => t('limits.used', { traffic: traffic(BigInt(bytes)) })
  const raised = limits.raised_day_bytes
  const raisedText = raised === null ? '' : ` ${t('limits.raised', { traffic: traffic(BigInt(raised)) })}`
  const dayHint = usedText(used.day_bytes) + raisedText
  const numeric = { inputMode: 'decimal', mono: true } as const
  return (
    <Card as="section" aria-label={t('limits.title')}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <p className={styles.explanation}>{t('limits.text')}</p>
        <div className={styles.numbers}>
          <TextField {...field('hour', t('limits.hour'))} {...numeric} hint={usedText(used.hour_bytes)} />
          <TextField {...field('day', t('limits.day'))} {...numeric} hint={dayHint} />
          <TextField {...field('month', t('limits.month'))} {...numeric} hint={usedText(used.month_bytes)} />
          <TextField
            {...field('connections', t('limits.connections'))}
            {...numeric}
            hint={t('limits.empty')}
          />
        </div>
        <TextField {...field('denied', t('limits.denied'))} hint={t('limits.hosts')} />
        <TextField {...field('allowed', t('limits.allowed'))} hint={t('limits.allowedHint')} />
        <label className={styles.saver}>
          <input
            type="checkbox"
            checked={form.saver}
            disabled={!mayChange}
            onChange={(event) => setForm({ ...form, saver: event.target.checked })}
          />
          <span>{t('limits.saver')}</span>
        </label>
        {mayChange && (
          <div>
            <Button type="submit" pending={save.isPending}>
              {t('limits.save')}
            </Button>
          </div>
        )}
      </form>
    </Card>
  )
}
