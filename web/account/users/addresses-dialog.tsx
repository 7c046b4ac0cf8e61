import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import Trash from 'lucide-react/icons/trash-2'
import { type SubmitEvent, useState } from 'react'
import { CallError } from '#contract/client'
import type { Pool } from '#contract/wire'
import { call } from '../../state/api.ts'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { toastFailure } from '../toast-failure.ts'
import styles from './user-dialog.module.css'
import type { ProxyUser } from './user-form.ts'

/** While an address is unproven, its state is read again at this interval. */
const askAgainMs = 5000

/** The addresses from which a proxy user may connect without its login and password. */
export function AddressesDialog({
  user,
  pool,
  onClose,
}: {
  user: ProxyUser
  pool: Pool
  onClose: () => void
}) {
  const { t } = useTranslation('proxyUsers')
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const entries = query('get_whitelist_entries', { pool })
  const { data, isError, refetch } = useQuery({ ...entries, staleTime: 0, refetchInterval: askAgainMs })
  const reload = () => void queries.invalidateQueries({ queryKey: entries.queryKey })
  const add = useMutation({
    mutationFn: (ip: string) => call('add_ip_to_whitelist', { ip, pool, proxy_user: user.number }),
    onSuccess: () => setTyped(''),
    onError: (error) => toastFailure(error, t('failed')),
    onSettled: reload,
  })
  const remove = useMutation({
    mutationFn: (ip: string) => call('remove_ip_from_whitelist', { ip, pool }),
    onError: (error) => toastFailure(error, t('failed')),
    onSettled: reload,
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    add.mutate(typed.trim())
  }
  const theirs = data?.entries.filter((entry) => entry.proxy_user === user.number)
  return (
    <Dialog open onClose={onClose} title={t('listedOf', { label: user.label })} closeLabel={t('close')}>
      <div className={styles.form}>
        <p>{t('listedText')}</p>
        {theirs === undefined && isError && (
          <div role="status">
            <p>{t('loadFailed')}</p>
            <Button onClick={() => void refetch()}>{t('retry')}</Button>
          </div>
        )}
        {theirs !== undefined && theirs.length > 0 && (
          <ul className={styles.list}>
            {theirs.map(({ ip, proven_at: provenAt }) => (
              <li key={ip} className={styles.row}>
                <span>
                  <span translate="no" className="mono">
                    {ip}
                  </span>{' '}
                  <span className={styles.hint}>{t(provenAt === null ? 'unproven' : 'proven')}</span>
                </span>
                <Button
                  size="small"
                  icon={<Trash size={16} aria-hidden="true" />}
                  aria-label={t('unlist', { ip })}
                  pending={remove.isPending && remove.variables === ip}
                  onClick={() => remove.mutate(ip)}
                >
                  {t('delete')}
                </Button>
              </li>
            ))}
          </ul>
        )}
        <form className={styles.adding} onSubmit={submit} noValidate>
          <TextField
            label={t('listedAddress')}
            value={typed}
            autoComplete="off"
            mono
            error={add.error instanceof CallError ? add.error.message : undefined}
            onChange={(event) => {
              setTyped(event.target.value)
              add.reset()
            }}
          />
          <Button variant="primary" type="submit" pending={add.isPending}>
            {t('list')}
          </Button>
        </form>
        <p className={styles.hint}>{t('listedProof')}</p>
      </div>
    </Dialog>
  )
}
