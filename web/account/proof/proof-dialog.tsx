import { useQuery } from '@tanstack/react-query'
import { CallError } from '#contract/client'
import type { Input } from '#contract/contract'
import { call } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useFactorWords } from '../../state/factors/factor-words.ts'
import { useTranslation } from '../../state/i18n.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FactorForm } from '../../ui/factors/factor-form.tsx'
import type { ProofWay } from '../../ui/factors/factor-words.ts'
import { provePasskey } from '../../ui/factors/passkey.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ReadFailed } from '../read-failed.tsx'
import { answerProof, useIsProofOpen } from './proof.ts'

async function proofOf(way: ProofWay, typed: string): Promise<Input<'prove_owner'>['proof']> {
  if (way === 'password') return { kind: way, password: typed }
  if (way !== 'passkey') return { kind: way, code: typed }
  const { options } = await call('prove_owner_options', {})
  return { kind: way, response: await provePasskey(options) }
}

/**
 * Asks for the second factor, or the password where there is none; then the call that needed it is repeated.
 */
export function ProofDialog() {
  const { t } = useTranslation('security')
  const isOpen = useIsProofOpen()
  const state = useQuery({ ...query('security', {}), enabled: isOpen })
  const words = useFactorWords()
  const hasFactors = (state.data?.factors.length ?? 0) > 0
  const isOpening = state.data === undefined
  const canProve = hasFactors || state.data?.has_password === true
  return (
    <Dialog
      open={isOpen}
      compact
      onClose={() => answerProof(false)}
      title={t('proof.title')}
      description={isOpening || canProve ? t('proof.text') : t('proof.signInAgain')}
      closeLabel={t('close')}
    >
      {isOpening && !state.isError && <Skeleton characters={24} />}
      {isOpening && state.isError && (
        <ReadFailed what={t('proof.title')} pending={state.isFetching} onRetry={() => void state.refetch()} />
      )}
      {!isOpening && canProve && (
        <FactorForm
          words={words}
          ways={hasFactors ? (state.data?.factors ?? []) : ['password']}
          submit={t('proof.submit')}
          prove={async (way, typed) => {
            await call('prove_owner', { proof: await proofOf(way, typed) })
            void queryClient.invalidateQueries({ queryKey: ['security'] })
            answerProof(true)
          }}
          faultOf={(error) => (error instanceof CallError ? error.message : undefined)}
        />
      )}
    </Dialog>
  )
}
