/** Judges the published vectors where there is no file system: a page and a Worker import it beside the package. */

/**
 * @param sdk the package's exports
 * @param cases of sdk/vectors/evidence.json
 * @returns how many were judged as expected
 */
export const countRight = async ({ VerificationError, verifyEvidence }, cases) => {
  const isRight = async ({ domain, evidence, options, unchecked: expected }) => {
    const { now, seen = { sites: {}, log: null }, ...same } = options;
    const given = { ...same, seen, pinned: true, now: () => now };
    try {
      const verified = await verifyEvidence(evidence, domain, given);
      return Object.entries(expected.ok ?? { refused: true }).every(
        ([name, value]) => verified[name] === value,
      );
    } catch (error) {
      return error instanceof VerificationError && error.step === expected.step;
    }
  };
  return (await Promise.all(cases.map(isRight))).filter(Boolean).length;
};
