import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useMay } from '../../state/team/team.ts'
import { toast } from '../../state/toast.ts'
import { Card } from '../../ui/card.tsx'
import { ReadFailedCard } from '../read-failed.tsx'
import { toastFailure } from '../toast-failure.ts'
import styles from './bill-card.module.css'

/** The switch that disables the recording of sites. */
export function HostPrivacy() {
  const { t } = useTranslation('usage')
  const mayChange = useMay('set_host_privacy')
  const read = useQuery(query('get_host_privacy', {}))
  const { data } = read
  const save = useMutation({
    mutationFn: (withholds_hosts: boolean) => call('set_host_privacy', { withholds_hosts }),
    onSuccess: (saved) => {
      queryClient.setQueryData(query('get_host_privacy', {}).queryKey, saved)
      toast.success(t(saved.withholds_hosts ? 'privacyOn' : 'privacyOff'))
    },
    onError: (error) => toastFailure(error, t('privacyFailed')),
  })
  if (data === undefined) return read.isError ? <ReadFailedCard what={t('privacy')} read={read} /> : null
  return (
    <Card as="section" aria-label={t('privacy')}>
      <h2 className={styles.title}>{t('privacy')}</h2>
      <label className={styles.switch}>
        <input
          type="checkbox"
          checked={save.isPending ? save.variables : data.withholds_hosts}
          disabled={!mayChange || save.isPending}
          onChange={(event) => save.mutate(event.target.checked)}
        />
        <span>{t('privacySwitch')}</span>
      </label>
      <p className={styles.text}>{t('privacyText')}</p>
    </Card>
  )
}
