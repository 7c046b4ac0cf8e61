import { createBrowserRouter, type RouteObject } from 'react-router'
import { lazyPage } from '../../state/loading/route.ts'
import { Allowed } from './allowed.tsx'
import { ErrorPage } from './error-page.tsx'
import { Gate } from './gate.tsx'
import { NotFound } from './not-found.tsx'
import { innerPages, pages } from './pages.ts'
import { Waiting } from '../parts/loaded.tsx'

/** A page for those whose role allows the call that it shows. */
const route = ({ path, needs, texts = [], load }: (typeof innerPages)[number]): RouteObject => ({
  path,
  lazy: async () => {
    const { Component } = await lazyPage(load, 'deskPages', ...texts)()
    return {
      Component: () => (
        <Allowed needs={needs}>
          <Component />
        </Allowed>
      ),
    }
  },
})

export const createRouter = () =>
  createBrowserRouter([
    {
      path: '/join',
      hydrateFallbackElement: <Waiting />,
      errorElement: <ErrorPage />,
      lazy: lazyPage(async () => (await import('../entry/join.tsx')).JoinPage, 'deskJoin'),
    },
    {
      element: <Gate />,
      hydrateFallbackElement: <Waiting />,
      errorElement: <ErrorPage />,
      children: [
        {
          errorElement: <ErrorPage />,
          children: [...pages, ...innerPages].map(route).concat({ path: '*', element: <NotFound /> }),
        },
      ],
    },
  ])
