/** Problem documents (RFC 9457): the one form in which the public API and the portal's API refuse. */

/** The members that every one has; the public API adds more. */
export type Problem = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly [member: string]: unknown;
};

export const problemResponse = (problem: Problem, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...headers, 'Content-Type': 'application/problem+json' },
  });
