import { useMutation, useQuery } from '@tanstack/react-query'
import type { Input, Output } from '#contract/contract'
import { call } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { callProved, needsProof } from '../proof/proof.ts'
import { toastFailure } from '../toast-failure.ts'
import type { Preset } from './wish.ts'

/** The customer's presets, and the acts on them. */
export function usePresets() {
  const { t } = useTranslation('generator')
  const read = query('get_presets', {})
  const presets = useQuery(read)
  /** Changes the cached list; if it could not be read, reads it again, so that it shows what was saved. */
  const update = (change: (known: Preset[]) => Preset[]) => {
    if (queryClient.getQueryData(read.queryKey) === undefined) void presets.refetch()
    queryClient.setQueryData(read.queryKey, (known: Output<'get_presets'> | undefined) =>
      known === undefined ? known : { ...known, presets: change(known.presets) },
    )
  }
  const replace = (saved: Preset) =>
    update((known) => known.map((each) => (each.number === saved.number ? saved : each)))
  const onError = (error: unknown) => toastFailure(error, t('failed'))
  const save = useMutation({
    mutationFn: (input: Input<'save_preset'>) => call('save_preset', input),
    onSuccess(made) {
      update((known) => [...known, made])
      toast.success(t('saved', { label: made.label }))
    },
    onError,
  })
  const change = useMutation({
    mutationFn: (input: Input<'change_preset'>) => call('change_preset', input),
    onSuccess(saved) {
      replace(saved)
      toast.success(t('saved', { label: saved.label }))
    },
    onError,
  })
  const remove = useMutation({
    mutationFn: (number: number) => call('delete_preset', { number }),
    onSuccess(_done, number) {
      update((known) => known.filter((each) => each.number !== number))
      toast.success(t('deleted'))
    },
    onError,
  })
  const renewLink = useMutation({
    mutationFn: (number: number) => callProved('renew_preset_link', { number }),
    onSuccess: ({ preset }) => replace(preset),
    onError: (error) => {
      if (!needsProof(error)) onError(error)
    },
  })
  const revokeLink = useMutation({
    mutationFn: (number: number) => call('revoke_preset_link', { number }),
    onSuccess(saved) {
      replace(saved)
      toast.success(t('link.revoked'))
    },
    onError,
  })
  return { presets, save, change, remove, renewLink, revokeLink }
}

export type PresetActs = ReturnType<typeof usePresets>
