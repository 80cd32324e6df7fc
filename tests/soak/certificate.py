"""A certificate for the length of one run, made with the `openssl` command, and clients that trust nothing else."""

import ssl
import subprocess
import tempfile
from pathlib import Path


class Certificate:
    """Key and certificate in a directory that is gone with this object."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory()
        self.certificate = Path(self.directory.name) / "certificate.pem"
        self.key = Path(self.directory.name) / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
            + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
            + ["-keyout", self.key, "-out", self.certificate],
            check=True,
            capture_output=True,
        )

    def settings(self):
        return f'[tls]\ncertificate = "{self.certificate}"\nkey = "{self.key}"\n'

    def context(self, protocol):
        """For clients that speak `h2` or `http/1.1`."""
        context = ssl.create_default_context(cafile=self.certificate)
        context.set_alpn_protocols([protocol])
        return context
