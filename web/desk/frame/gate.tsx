import { Fault, Waiting } from '../parts/loaded.tsx'
import { SignIn } from '../entry/sign-in.tsx'
import { SecondFactor } from '../entry/second-factor.tsx'
import { useSessionQuery } from '../state/session.ts'
import { Frame } from './frame.tsx'

/** Shows the sign-in form in place of the page and keeps the address: the page opens after the sign-in. */
export function Gate() {
  const { data, error, refetch, isFetching } = useSessionQuery()
  if (data === undefined)
    return (
      <main>
        {error === null ? (
          <Waiting />
        ) : (
          <Fault text={error.message} pending={isFetching} onRetry={() => void refetch()} />
        )}
      </main>
    )
  if (data.stage === 'signed_in' && data.member !== null) return <Frame />
  return data.stage === 'factor_missing' ? <SecondFactor session={data} /> : <SignIn session={data} />
}
