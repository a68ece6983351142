"""The task `spidercompose accuracy notify`: tell the people of a chat or a pull request how a run went."""

import argparse
import os
from pathlib import Path

from lib.errors import ParameterError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `notify`."""
    parser.add_argument("--run", required=True, type=Path, metavar="DIR", help="folder of the run (its --out)")
    text = "environment variable with a webhook's address; if it is empty nothing is sent"
    parser.add_argument("--webhook-env", metavar="NAME", help=text)
    text = "keep one comment with the summary; GITHUB_REPOSITORY and GITHUB_TOKEN come from the environment"
    parser.add_argument("--pull-request", type=int, metavar="NUMBER", help=text)
    parser.add_argument("--link", default="", metavar="URL", help="where to read more, for the webhook's message")


def run(args: argparse.Namespace) -> int:
    """Sends what was asked for; returns the exit code."""
    from lib.accuracy.notices import Webhook, short_message
    from lib.files import read_json, read_text

    if args.webhook_env is None and args.pull_request is None:
        raise ParameterError("say where to: --webhook-env NAME, --pull-request NUMBER, or both")
    if args.pull_request is not None:
        updated = _pull_request(args.pull_request).comment(read_text(args.run / "summary.md"))
        print(f"pull request {args.pull_request}: comment {'updated' if updated else 'written'}")
    if args.webhook_env is not None:
        address = os.environ.get(args.webhook_env, "").strip()
        if address:
            Webhook(address).post(short_message(read_json(args.run / "summary.json"), args.link))
        print("webhook: sent" if address else f"webhook: none ({args.webhook_env} is empty)")
    return 0


def _pull_request(number: int):
    from lib.accuracy.notices import GITHUB, PullRequest

    names = ("GITHUB_REPOSITORY", "GITHUB_TOKEN", "GITHUB_API_URL")
    repository, token, api = (os.environ.get(name, "").strip() for name in names)
    return PullRequest(repository, number, token, api or GITHUB)
