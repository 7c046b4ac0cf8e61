import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { writeStored } from '../../state/storage.ts'
import { toast } from '../../state/toast.ts'
import { downloadText } from '../../ui/download-text.ts'
import { toastFailure } from '../toast-failure.ts'
import { areEqual, getProxyInput, maxShownLines, splitLines } from './lines.ts'
import { firstLineKey } from './first-line.ts'
import type { Settings } from './settings.ts'

/** The settings that lines are made from. */
interface Wish {
  settings: Settings
  /** The number of a proxy user; null: the customer's own lines. */
  proxyUser: number | null
}

export interface Result extends Wish {
  lines: string[]
}

/** Downloads the lines as the file proxies.txt. */
export function downloadLines(lines: string[]): void {
  downloadText('proxies.txt', `${lines.join('\n')}\n`, 'text/plain')
}

/** Generates lines: up to 20 are shown, more are downloaded at once. */
export function useGenerate(user: Session) {
  const { t } = useTranslation('userPanel')
  const [result, setResult] = useState<Result | null>(null)
  const mutation = useMutation({
    mutationFn: async ({ settings, proxyUser }: Wish) => {
      const whose = proxyUser === null ? {} : { proxy_user: proxyUser }
      return splitLines(await call('get_proxy', { ...getProxyInput(settings), ...whose }))
    },
    onSuccess(lines, wish) {
      if (lines.length > 0) writeStored(firstLineKey, 'made')
      if (lines.length === 0) {
        toast.error(t('result.empty'))
      } else if (lines.length > maxShownLines) {
        downloadLines(lines)
        // In one notice: a second one would cover the first.
        toast.success(areEqual(lines) ? `${t('result.ready')}. ${t('result.same')}` : t('result.ready'))
      } else {
        setResult({ ...wish, lines })
      }
    },
    onError: (error) => toastFailure(error, t('faults.proxy')),
  })
  const generate = (wish: Wish) => {
    const { password, balance } = user[wish.settings.pool]
    // A pool that was never bought has no login either; in one with traffic the server says what is wrong.
    if (password === null && balance === 0) toast.info(t('faults.access'))
    else mutation.mutate(wish)
  }
  return { generate, pending: mutation.isPending, result, closeResult: () => setResult(null) }
}
